"""Tables and where they come from: the only room that sees foreign files and frames."""
