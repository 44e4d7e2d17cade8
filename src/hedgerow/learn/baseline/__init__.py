"""What there is to beat: predictions without learning."""
