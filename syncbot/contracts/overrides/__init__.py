"""The backend's functions that stand in for upstream ones, overrides and replacements: do they still fit?"""
