"""What a lane's run of a plugin's tests says beside that of the release: differences, their causes and
classes."""
