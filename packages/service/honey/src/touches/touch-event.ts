import type { HoneyToken } from "../records/honey-token-table.ts"
import type { HoneyTouch } from "../records/honey-touch-table.ts"

/** The data of the event `honey-token.touched`: which honey token, who, where and when. */
export interface TouchEvent {
  readonly honeyToken: Pick<HoneyToken, "id" | "name" | "role">
  /** Further attempts of the same caller are counted there, and raise no event for the rest of the hour. */
  readonly touch: string
  readonly actor: HoneyTouch["actor"]
  readonly way: HoneyTouch["way"]
  readonly ip: string | null
  readonly requestId: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

export function touchEvent(
  { id, name, role }: TouchEvent["honeyToken"],
  {
    id: touch,
    actor,
    way,
    ip,
    requestId,
    at,
  }: Pick<HoneyTouch, "id" | "actor" | "way"> & Pick<TouchEvent, "ip" | "requestId" | "at">,
): TouchEvent {
  return { honeyToken: { id, name, role }, touch, actor, way, ip, requestId, at }
}

/** Returns what is posted for an alert of a type. */
export function alertBody(type: NonNullable<HoneyToken["alertType"]>, event: TouchEvent): object {
  return type === "webhook" ? event : { text: chatText(event) }
}

function chatText({ honeyToken, actor, way, ip, requestId, at }: TouchEvent): string {
  const ways = Object.entries(way).map(([name, value]) => `${name} ${value}`)
  return [
    `Somebody tried to decrypt the honey token ${honeyToken.name} (${honeyToken.id}).`,
    `Who: ${actor.type} ${actor.id}.`,
    `Where: ${[...ways, `address ${ip ?? "unknown"}`].join(", ")}.`,
    `When: ${new Date(at).toISOString()}, request ${requestId ?? "unknown"}.`,
  ].join(" ")
}
