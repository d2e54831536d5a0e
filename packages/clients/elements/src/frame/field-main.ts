import { webSealing } from "@sealway/tokens/clients/web"
import { runFieldFrame } from "./field-frame.ts"
import { type FieldPageData, readPageData } from "./page-data.ts"

const { origins, publicKey, isSandbox } = readPageData<FieldPageData>(document)
const appPublicKey = Uint8Array.from(atob(publicKey), (character) => character.charCodeAt(0))
const keys = webSealing.keysFor({ appPublicKey, debug: isSandbox, now: performance.now.bind(performance) })

void runFieldFrame({ window, origins, sealingKey: async () => (await keys).current(6), now: Date.now })
