export { createWebEphemeralKey, importWebAppKey } from "../clients/web/ephemeral-key.ts"
export { DATA_OFFSET_AT, METADATA_AT, streamKeyInfo, writeStreamHeader } from "../streams/stream-header.ts"
export { sealAsClient } from "./client.ts"
export { fileOfToken } from "./file-of-token.ts"
