export { runCli } from "./run-cli.ts"
export { EXIT, EXIT_DIFFERENT, type ExitCode } from "./terminal/exit-codes.ts"
export type { CliHost } from "./terminal/host.ts"
