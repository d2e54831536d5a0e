import { MAX_JSON_DEPTH, processTurns, scanJsonInSteps } from "@sealway/kernel"

const NOTHING = { open() {}, close() {}, key() {}, scalar() {} }

/** @throws JsonSyntaxError, JsonDepthError when the bytes are not exactly one JSON value */
export async function checkJson(bytes: Buffer): Promise<void> {
  await processTurns.run(scanJsonInSteps(bytes, NOTHING, MAX_JSON_DEPTH))
}
