import type { StackChange } from "./diff-stage.ts"
import type { ResourceChange } from "./resource-change.ts"

/** Colours a text. */
export type Paint = (text: string) => string

/** What deserves attention: red for what is lost, yellow for what may be. */
export interface Paints {
  readonly red: Paint
  readonly yellow: Paint
}

/** For a terminal. */
export const COLOURS: Paints = {
  red: (text) => `\u001b[31m${text}\u001b[0m`,
  yellow: (text) => `\u001b[33m${text}\u001b[0m`,
}
export const NO_COLOURS: Paints = { red: (text) => text, yellow: (text) => text }

const SIGNS = { add: "+", modify: "~", remove: "-" } as const

/** Renders what a deployment would do, for people. */
export function renderDiff(changes: readonly StackChange[], paints: Paints): string {
  if (changes.length === 0) return "Nothing changes.\n"
  const resources = changes.flatMap((change) => change.resources)
  const count = (isCounted: (change: ResourceChange) => boolean) => resources.filter(isCounted).length
  const summary = [
    `${count(({ action }) => action === "add")} added`,
    `${count(({ action, isReplaced }) => action === "modify" && isReplaced === false)} changed`,
    `${count(isReplacedForSure)} replaced`,
    `${count(({ isReplaced }) => isReplaced === "unknown")} perhaps replaced`,
    `${count(({ action }) => action === "remove")} removed`,
  ]
  return [
    ...changes.flatMap((change) => renderStack(change, paints)),
    `Resources: ${summary.join(", ")}.`,
    "",
  ].join("\n")
}

function renderStack(change: StackChange, paints: Paints): readonly string[] {
  const { stackName, action, resources, policies, refusal } = change
  if (action === "add") return [`+ ${stackName}: a new stack, resources: ${resources.length}`]
  if (action === "remove")
    return [paints.red(`- ${stackName}: the stack is removed, resources: ${resources.length}`)]
  return [
    `~ ${stackName}`,
    ...(refusal === null
      ? []
      : [paints.yellow(`  ! CloudFormation cannot say which resources are replaced: ${refusal}`)]),
    ...resources.map((each) => renderResource(each, paints)),
    ...policies.map(
      ({ isAdded, logicalId, statement }) => `  ${isAdded ? "+" : "-"} ${logicalId}: ${statement}`,
    ),
  ]
}

function renderResource(change: ResourceChange, { red, yellow }: Paints): string {
  const { action, type, logicalId, isReplaced } = change
  const line = `  ${SIGNS[action]} ${type} ${logicalId}`
  if (isReplacedForSure(change)) return red(`${line}: replaced`)
  if (isReplaced === "unknown") return yellow(`${line}: perhaps replaced`)
  return action === "remove" ? red(line) : line
}

function isReplacedForSure({ isReplaced }: ResourceChange): boolean {
  return isReplaced === true
}
