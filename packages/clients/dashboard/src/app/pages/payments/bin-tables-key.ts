export const BIN_TABLES_KEY = ["team", "bin-tables"] as const
