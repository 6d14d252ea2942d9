def register():
    return "like_plugin.platform.LikePlatform"
