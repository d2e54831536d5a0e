import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { HELP as START_HELP } from "@sealway/local/testing"
import { HELP as EXPLORE_HELP } from "../../scripts/explore/options.ts"
import { HELP as TORTURE_HELP } from "../../scripts/torture/options.ts"
import { run } from "../cli/cli.ts"
import { ROOT } from "../support/start.ts"
import { wordsOf } from "./read-documents.ts"

const flagsIn = (text: string): string[] => text.match(/(?<![\w-])--?[a-z][\w-]*/gi) ?? []

/** Returns the options that the commands of this repository take, by the words that call them. */
export async function readCommandTree(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const tree = new Map<string, ReadonlySet<string>>()
  const visit = async (path: readonly string[]): Promise<void> => {
    const { stdout } = await run([...path, "--help"])
    // From the usage and the lists, not from prose: a flag may be mentioned by a command that does not take it.
    const options = stdout.match(/^ {2}(?:-\w, )?--[\w-]+/gm) ?? []
    tree.set(path.join(" "), new Set(options.flatMap(flagsIn)))
    const commands = /\nCommands:\n((?: {2,}.*\n)+)/.exec(stdout)?.[1] ?? ""
    const names = [...commands.matchAll(/^ {2}([a-z0-9-]+)/gm)].map(([, name = ""]) => name)
    for (const name of names) await visit([...path, name])
  }
  await visit([])
  return tree
}

/** Finds the longest beginning of the arguments that is a command; null when not even the first is one. */
export function findCommand(
  tree: ReadonlyMap<string, unknown>,
  args: readonly string[],
): { readonly path: string; readonly isGroup: boolean; readonly rest: readonly string[] } | null {
  let path = ""
  let taken = 0
  for (const arg of args) {
    const longer = path === "" ? arg : `${path} ${arg}`
    if (!tree.has(longer)) break
    path = longer
    taken++
  }
  if (path === "") return null
  const isGroup = [...tree.keys()].some((key) => key.startsWith(`${path} `))
  return { path, isGroup, rest: args.slice(taken) }
}

const scripts: Record<string, string> = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts
const VITEST_FLAGS = ["-t", "--sequence.shuffle.files"]
const FLAGS_OF_SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  start: flagsIn(START_HELP),
  explore: flagsIn(EXPLORE_HELP),
  torture: flagsIn(TORTURE_HELP),
  bench: ["--write", "--help"],
  mutate: ["--files", "--help", "--sample", "--seed"],
  "check:stacks": ["--install", "--help"],
  "test:emulator": ["--install", "--log", "--help"],
  stage: ["--stage", "--help"],
  "empty-stage": ["--stage", "--dry-run", "--yes", "--help"],
  test: VITEST_FLAGS,
}

/** Flags of scripts, and of programs that pages describe, which pages name alone. */
export const OTHER_FLAGS: ReadonlySet<string> = new Set([
  ...Object.values(FLAGS_OF_SCRIPTS).flat(),
  ...["--permission", "--build-arg"],
  // Of the CDK.
  "--outputs-file",
  // The boundary of a multipart body.
  "--boundary",
])

const BENCHMARKS = [
  ...readFileSync(join(ROOT, "bench/main.ts"), "utf8").matchAll(/^ {2}\["(\w+)", \(\) =>/gm),
].map(([, name = ""]) => name)

/** @returns what is wrong with an npm command; null when nothing is */
export function faultOfNpm(words: readonly string[]): string | null {
  const [, verb = "", ...more] = words
  if (["ci", "install", "audit", "pack", "publish"].includes(verb)) return null
  const [script = "", ...args] = verb === "run" ? more.filter((word) => word !== "--silent") : [verb, ...more]
  if (scripts[script] === undefined) return `package.json has no script ${script}`
  const known = FLAGS_OF_SCRIPTS[script] ?? []
  const dashes = args.indexOf("--")
  const lost = args.find((arg, place) => arg.startsWith("-") && (dashes < 0 || place < dashes))
  if (lost !== undefined) return `${lost} without -- goes to npm`
  const own = args.slice(dashes + 1)
  const unknown = own.filter((arg) => arg.startsWith("-") && !known.includes(arg.replace(/=.*/, "")))
  if (unknown.length > 0) return `${script} has no ${unknown.join(", ")}`
  if (script === "bench" && own.some((arg) => !arg.startsWith("-") && !BENCHMARKS.includes(arg))) {
    return `bench has no ${own.join(" ")}`
  }
  const paths = own.filter((arg) => /^(?:packages|test)\//.test(arg))
  const missing = paths.filter((path) => globSync([path, `${path}*`], { cwd: ROOT }).length === 0)
  return missing.length > 0 ? `there is no ${missing.join(", ")}` : null
}

/** Commands of AWS's CLI whose service has no client among the dependencies, with their options, from AWS's reference. */
const AWS_COMMANDS: ReadonlyMap<string, readonly string[]> = new Map([
  ["backup create-backup-vault", ["--backup-vault-name"]],
  [
    "backup update-region-settings",
    ["--resource-type-opt-in-preference", "--resource-type-management-preference"],
  ],
  ["ecr create-repository", ["--repository-name", "--image-tag-mutability"]],
  ["ecr get-login-password", []],
  ["ec2 describe-managed-prefix-lists", ["--filters"]],
  // The file that it writes to is an argument, and the format an option of all commands.
  ["lambda invoke", ["--function-name", "--cli-binary-format", "--payload"]],
  ["s3 sync", []],
  ["secretsmanager put-secret-value", []],
])
const AWS_GLOBAL = ["--query", "--output", "--region", "--profile"]
const AWS_CLIENTS: Readonly<Record<string, string>> = { logs: "client-cloudwatch-logs", s3api: "client-s3" }

/** Compares with the operations and fields of AWS's SDK, from which its CLI is generated. */
export function faultOfAws(words: readonly string[]): string | null {
  const [, service = "", operation = "", ...rest] = words
  const flags = rest.filter((word) => word.startsWith("--")).filter((flag) => !AWS_GLOBAL.includes(flag))
  const listed = AWS_COMMANDS.get(`${service} ${operation}`)
  if (listed !== undefined) {
    const unknown = flags.filter((flag) => !listed.includes(flag))
    return unknown.length > 0 ? `${unknown.join(", ")} are not listed` : null
  }
  const client = AWS_CLIENTS[service] ?? `client-${service}`
  const models = globSync(join(ROOT, "node_modules/@aws-sdk", client, "dist-types/models/models_*.d.ts"))
  const command = join(
    ROOT,
    "node_modules/@aws-sdk",
    client,
    `dist-types/commands/${pascal(operation)}Command.d.ts`,
  )
  if (!existsSync(command)) return `there is no ${service} ${operation}`
  const shape = models.map((path) => readFileSync(path, "utf8")).join("\n")
  const input =
    new RegExp(`interface ${pascal(operation)}(?:Input|Request) (?:extends \\w+ )?\\{(.*?)^\\}`, "ms").exec(
      shape,
    )?.[1] ?? ""
  const members = [...input.matchAll(/^ {4}(\w+)\??:/gm)].map(([, name = ""]) => name.toLowerCase())
  const unknown = flags.filter((flag) => !members.includes(flag.slice(2).replaceAll("-", "")))
  return unknown.length > 0 ? `${operation} has no ${unknown.join(", ")}` : null
}

function pascal(name: string): string {
  return name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** SST lists its options only after it has fetched Pulumi. These are from its reference. */
const SST_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  deploy: ["--stage"],
  diff: ["--stage"],
  remove: ["--stage"],
  unlock: ["--stage"],
}

function faultOfSst(words: readonly string[]): string | null {
  const [command = "", ...rest] = words
  const known = SST_COMMANDS[command]
  if (known === undefined) return `sst has no ${command}`
  const unknown = rest.filter((word) => word.startsWith("-") && !known.includes(word))
  return unknown.length > 0 ? `sst ${command} has no ${unknown.join(", ")}` : null
}

/** Of the CDK's command line, which is not installed: from its reference. */
const CDK_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  bootstrap: [],
  deploy: ["--all", "--concurrency", "--context"],
  destroy: ["--all", "--context"],
  diff: ["--context"],
}

function faultOfCdk(words: readonly string[]): string | null {
  const [command = "", ...rest] = words
  const known = CDK_COMMANDS[command]
  if (known === undefined) return `cdk has no ${command}`
  const unknown = rest.filter((word) => word.startsWith("-") && !known.includes(word))
  return unknown.length > 0 ? `cdk ${command} has no ${unknown.join(", ")}` : null
}

function faultOfCurl(words: readonly string[]): string | null {
  const help = execFileSync("curl", ["--help", "all"], { encoding: "utf8" })
  const known = flagsIn(help)
  // `-fO` is `-f -O`.
  const given = words.slice(1).flatMap((word) => {
    const [, letters] = /^-([A-Za-z]{2,})$/.exec(word) ?? []
    return letters === undefined ? [word] : Array.from(letters, (letter) => `-${letter}`)
  })
  const unknown = given.filter((word) => word.startsWith("-") && !known.includes(word))
  return unknown.length > 0 ? `curl has no ${unknown.join(", ")}` : null
}

function faultOfNode(words: readonly string[]): string | null {
  const [, first = "", second] = words
  if (first.startsWith("-"))
    return first === "-e" || process.allowedNodeEnvironmentFlags.has(first) ? null : `node has no ${first}`
  const missing = [first, ...(first === "scripts/run.mjs" && second !== undefined ? [second] : [])].filter(
    (path) => !existsSync(join(ROOT, path)),
  )
  return missing.length > 0 ? `there is no ${missing.join(", ")}` : null
}

/**
 * Checks a command of another program: returns what is wrong with it, or null. Programs that are not here are unknown.
 */
export const FAULTS: Readonly<Record<string, (words: readonly string[]) => string | null>> = {
  npm: faultOfNpm,
  npx: ([, program = "", ...rest]) => {
    if (program === "aws-cdk@2") return faultOfCdk(rest)
    return program === "sst" ? faultOfSst(rest) : `${program} is unknown`
  },
  sst: ([, ...rest]) => faultOfSst(rest),
  cdk: ([, ...rest]) => faultOfCdk(rest),
  aws: faultOfAws,
  curl: faultOfCurl,
  node: faultOfNode,
  bash: ([, path = ""]) => (existsSync(join(ROOT, path)) ? null : `there is no ${path}`),
  git: () => null,
  docker: (words) =>
    words.includes("--build-arg") &&
    !readFileSync(join(ROOT, "Dockerfile"), "utf8").includes("ARG NODE_IMAGE")
      ? "the Dockerfile has no such argument"
      : null,
  python3: () => null,
  "apt-get": () => null,
  shasum: () => null,
  codesign: () => null,
  pip: () => null,
  openssl: () => null,
  dig: () => null,
  "nitro-cli": () => null,
  "vsock-proxy": () => null,
  cd: () => null,
  // Only a comparison in docs/cli.md.
  terraform: () => null,
  // What comes before or after a pipe in examples.
  pass: () => null,
  cut: () => null,
  source: () => null,
}

/** Splits a command without the variables before it into words. */
export function splitCommand(command: string): string[] {
  return wordsOf(command.replace(/^(?:[A-Z_]+=(?:<[^>]*>|\S)+ )+/, ""))
}
