"""Plain text, tables and charts: how anything is shown, hostile text disarmed."""
