/** The options of `npm start`, as `parseArgs` of node:util takes them. */
type OptionTypes = Readonly<Record<string, { readonly type: "string" | "boolean" }>>

/** npm's own, which mean something else before `--`. */
const OF_NPM: ReadonlySet<string> = new Set(["help", "verbose"])

/** What can stand in a command line without quotes, in every shell. */
const PLAIN = /^[\w./:-]{1,100}$/

/**
 * npm takes options before `--` for its own: of `npm start --port 7500` the script sees `7500` at most, and the rest in
 * its environment. Returns the command line that was meant; null when npm kept nothing.
 *
 * An option that stands in `args` too is not missed: that is the way out for those whose npm is configured so.
 *
 * @param args what came through
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
  // Without its option, a value stands among the arguments.
  const loose = args.filter((each) => !each.startsWith("-"))
  const words = kept.flatMap((name) => {
    if (options[name]?.type === "boolean") return [`--${name}`]
    const value = keptValue(environment, name) ?? ""
    const [only = "", ...others] = value === "true" && kept.length === 1 ? loose : [value]
    return [`--${name}`, others.length === 0 && only !== "true" && PLAIN.test(only) ? only : "VALUE"]
  })
  return ["npm start --", ...words].join(" ")
}

/** Empty and `false` are npm's ways to say that an option is not given. */
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
