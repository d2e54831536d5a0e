/**
 * Uploads or downloads a file with the SDK.
 *
 *     node transfer.ts upload|download URL APP KEY PATH [FILE_ID]
 */
import { openAsBlob } from "node:fs"
import { open } from "node:fs/promises"
import { Sealway } from "@sealway/sdk"

const [task, baseUrl = "", appId = "", apiKey = "", path = "", fileId = ""] = process.argv.slice(2)
const { files } = new Sealway({ baseUrl, appId, apiKey })
if (task === "upload") await files.upload(await openAsBlob(path))
else {
  const file = await open(path, "w")
  for await (const piece of files.download(fileId, { freesPieces: true })) {
    const { bytesWritten } = await file.write(piece)
    if (bytesWritten !== piece.length) throw new Error("The disk is full")
  }
  await file.close()
}
