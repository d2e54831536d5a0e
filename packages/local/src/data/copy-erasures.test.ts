import { join } from "node:path"
import { isOfSubject, parseToken, subjectIdOf } from "@sealway/tokens"
import { expect, test } from "vitest"
import { openForWriting } from "../cloud/dynamodb/store/open-database.ts"
import { TABLES_FILE } from "../cloud/dynamodb/tables-file.ts"
import { DataFolderUnusableError, TablesDamagedError } from "../cloud/errors.ts"
import { TABLES_FOLDER } from "../cloud/parts/find-parts.ts"
import { temporaryFolder } from "../cloud/testing/temporary-folder.ts"
import { type LocalService, startLocalService } from "../local-service.ts"
import { backupDataFolder } from "./backup-data-folder.ts"
import { restoreDataFolder } from "./restore-data-folder.ts"

const PASSPHRASE = "correct horse battery staple"
const signal = new AbortController().signal
const rest = { passphrase: PASSPHRASE, onProgress: () => undefined, signal }

/** Serves a data folder as long as it is used. */
async function serve<Result>(dataFolder: string, use: (service: LocalService) => Promise<Result>) {
  const service = await startLocalService({
    ...{ dataFolder, port: 0, hosting: "api-gateway", unconfinedFunctions: true },
  })
  try {
    return await use(service)
  } finally {
    await service.close()
  }
}

async function call({ url, credentials }: LocalService, method: string, path: string, body?: string) {
  const app = credentials.apps.find(({ environment }) => environment === "sandbox")
  const response = await fetch(url + path, {
    method,
    headers: {
      "content-type": "application/json",
      "x-service-data-subject": "ada",
      authorization: `Basic ${Buffer.from(`${app?.id}:${app?.apiKey}`).toString("base64")}`,
    },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, text: await response.text() }
}

test("a restored backup opens nothing that was erased in the named folder after the backup was made", async () => {
  const parent = await temporaryFolder()
  const [folder, file] = [join(parent, "used"), join(parent, "backup")]
  const token = await serve(folder, async (service) => {
    const sealed = (await call(service, "POST", "/encrypt", '"Ada"')).text
    await backupDataFolder({ folder, file, ...rest })
    const parsed = parseToken(JSON.parse(sealed))
    if (parsed === null || !isOfSubject(parsed)) throw new Error("Not a token of a data subject")
    const erased = await call(service, "DELETE", `/data-subjects/${subjectIdOf(parsed)}`)
    expect(erased.text).toContain('"status":"erased"')
    return sealed
  })
  const decrypted = async (target: string, erasuresOf: string | null) => {
    const restored = await restoreDataFolder({ file, folder: join(parent, target), erasuresOf, ...rest })
    expect(restored.ok).toBe(true)
    return serve(join(parent, target), (service) => call(service, "POST", "/decrypt", token))
  }
  expect(await decrypted("without", null)).toEqual({ status: 200, text: '"Ada"' })
  expect((await decrypted("with", folder)).text).toContain("data-subject/erased")

  const tables = join(folder, TABLES_FOLDER, TABLES_FILE)
  const database = openForWriting(tables)
  database.exec("UPDATE items SET checksum = checksum + 1 WHERE CAST(partition AS TEXT) LIKE '%-erasures#%'")
  database.close()
  await expect(decrypted("damaged", folder)).rejects.toBeInstanceOf(TablesDamagedError)
  await expect(decrypted("missing", join(parent, "nowhere"))).rejects.toBeInstanceOf(DataFolderUnusableError)
})
