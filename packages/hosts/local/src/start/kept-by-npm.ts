/** The options of `npm start`, in the form of `parseArgs` of node:util. */
type OptionTypes = Readonly<Record<string, { readonly type: "string" | "boolean" }>>

/** npm's own options, which mean something else before `--`. */
const OF_NPM: ReadonlySet<string> = new Set(["help", "verbose"])

/** What needs no quotes on a command line, in any shell. */
const PLAIN = /^[\w./:-]{1,100}$/

/**
 * Reconstructs a command line whose options npm kept for itself; null when it kept none. npm takes options before `--`
 * as its own: of `npm start --port 7500` the script sees at most `7500`, and the rest in its environment.
 *
 * An option that is also in `args` is not reported: that is the way out for users whose npm is configured so.
 *
 * @param args the arguments that the script received
 * @param environment `npm_config_port` is the value of `--port=7500`, and `true` for `--port 7500`
 */
export function commandMeant(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  options: OptionTypes,
): string | null {
  if (environment.npm_lifecycle_event !== "start") return null
  const kept = Object.keys(options).filter(
    (name) => !OF_NPM.has(name) && keptValue(environment, name) !== undefined && !isAmong(args, name),
  )
  if (kept.length === 0) return null
  // Without its option, a value is among the arguments.
  const loose = args.filter((each) => !each.startsWith("-"))
  const words = kept.flatMap((name) => {
    if (options[name]?.type === "boolean") return [`--${name}`]
    const value = keptValue(environment, name) ?? ""
    const [only = "", ...others] = value === "true" && kept.length === 1 ? loose : [value]
    return [`--${name}`, others.length === 0 && only !== "true" && PLAIN.test(only) ? only : "VALUE"]
  })
  return ["npm start --", ...words].join(" ")
}

/** npm sets empty and `false` when an option is not given. */
function keptValue(
  environment: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  const value = environment[`npm_config_${name.replaceAll("-", "_")}`]
  return value === "" || value === "false" ? undefined : value
}

function isAmong(args: readonly string[], name: string): boolean {
  return args.some((each) => each === `--${name}` || each.startsWith(`--${name}=`))
}
