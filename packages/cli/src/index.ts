export { EXIT, EXIT_DIFFERENT, type ExitCode } from "./exit-codes.ts"
export type { CliHost } from "./host.ts"
export { runCli } from "./run-cli.ts"
