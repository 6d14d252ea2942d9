"""The facts as tools of a Model Context Protocol server, for programs that write the adaptation."""
