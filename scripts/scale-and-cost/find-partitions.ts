import { globSync, readFileSync } from "node:fs"

const SOURCES = "packages/{service/*,hosts/relay-proxy}/src/**/*.ts"
const IS_TEST = /\.test\.ts$|\/testing\//

/** What makes a partition key: after `pk:`, or in something that is called a partition. */
const MADE = /(?:\bpk: |[pP]artition)[^`\n]*`([^`\n]*)`|\bpk: ([^,}`\n]*\+[^,}`\n]*)/g
/** What names a team or an app behind a kind of record, wherever it is. */
const NAMED = /`([a-z0-9-]+#\$\{[\w.?! ]*\b(?:teamId|appId|app\.id|accountId)\b[^`\n]*)`/g
const IN_TEAM_OR_APP = /`([^`\n]*\$\{(?:team|app)Partition\([^`\n]*)`/g

/**
 * Finds the partition keys in the product's source that hold what belongs to one team or one app, with `{app}`, `{team}` and
 * `{}` for what varies. Each has the limits of one partition of DynamoDB.
 *
 * @param root the repository
 */
export function findPartitions(root: string): ReadonlySet<string> {
  const files = globSync(SOURCES, { cwd: root }).filter((file) => !IS_TEST.test(file))
  return new Set(files.flatMap((file) => partitionsIn(readFileSync(`${root}/${file}`, "utf8"))))
}

/** Does the same in one file's text. */
export function partitionsIn(source: string): readonly string[] {
  const made = [MADE, NAMED, IN_TEAM_OR_APP].flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, template, sum]) => template ?? sum ?? ""),
  )
  return made.map(patternOf).filter((pattern) => pattern.includes("{team}") || pattern.includes("{app}"))
}

function patternOf(template: string): string {
  return template
    .replace(/\$\{appPartition\([^}]*\}/g, "app#{app}")
    .replace(/\$\{teamPartition\([^}]*\}/g, "team#{team}")
    .replace(/\$\{[^}]*\b(?:appId|app\.id|accountId)\b[^}]*\}/g, "{app}")
    .replace(/\$\{[^}]*\bteamId\b[^}]*\}/g, "{team}")
    .replace(/\$\{[^}]*\}/g, "{}")
}
