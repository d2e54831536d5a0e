/** Variables that Node.js and its libraries read. None of them is a secret of ours. */
const RUNTIME_VARIABLES: ReadonlySet<string> = new Set([
  // What is compiled already: without it each worker loads the compiler of TypeScript, which takes some 25 MiB.
  "NODE_COMPILE_CACHE",
  // How much freed memory glibc keeps.
  "MALLOC_ARENA_MAX",
  "MALLOC_TRIM_THRESHOLD_",
  "NODE_ENV",
  "NODE_EXTRA_CA_CERTS",
  "NODE_OPTIONS",
  "NODE_USE_SYSTEM_CA",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "SystemRoot",
  "TZ",
])

/**
 * Returns the part of its parent's environment that a worker gets.
 *
 * @param isNeeded whether a variable is needed besides those of the runtime. Default: none is
 */
export function workerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  isNeeded: (name: string) => boolean = () => false,
): Record<string, string> {
  const given: Record<string, string> = {}
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && (RUNTIME_VARIABLES.has(name) || isNeeded(name))) given[name] = value
  }
  return given
}
