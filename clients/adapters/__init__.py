"""The games and bots for other programs.

Each module needs one library, which an extra of the package installs:

    openspiel         games, and a bot, for OpenSpiel          `openspiel`
    zoo               an environment for PettingZoo            `pettingzoo`
    line_protocol     an engine on pipes, line by line, like those of chess
    cgsuite           Grundy values as a script for CGSuite
"""
