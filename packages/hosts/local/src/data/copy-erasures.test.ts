import { join } from "node:path"
import type { Environment } from "@sealway/accounts"
import { isOfSubject, parseToken, subjectIdOf } from "@sealway/tokens"
import { expect, test } from "vitest"
import { openForWriting } from "../cloud/dynamodb/store/open-database.ts"
import { TABLES_FILE } from "../cloud/dynamodb/tables-file.ts"
import { DataFolderUnusableError, TablesDamagedError } from "../cloud/errors.ts"
import { TABLES_FOLDER } from "../cloud/parts/find-parts.ts"
import { temporaryFolder } from "../cloud/testing/temporary-folder.ts"
import { type LocalService, startLocalService } from "../local-service.ts"
import { backupDataFolder } from "./backup-data-folder.ts"
import { copyErasures } from "./copy-erasures.ts"
import { restoreDataFolder } from "./restore-data-folder.ts"

const PASSPHRASE = "correct horse battery staple"
const signal = new AbortController().signal
const rest = { passphrase: PASSPHRASE, onProgress: () => undefined, signal }

/** Serves a data folder as long as it is used. */
async function serve<Result>(dataFolder: string, use: (service: LocalService) => Promise<Result>) {
  const service = await startLocalService({
    dataFolder,
    port: 0,
    hosting: "api-gateway",
    unconfinedFunctions: true,
  })
  try {
    return await use(service)
  } finally {
    await service.close()
  }
}

/** Calls as one of the first apps: erasures of `sandbox` are complete at once, those of `production` can be undone. */
async function call(
  { url, credentials }: LocalService,
  wanted: Environment,
  method: string,
  path: string,
  body?: string,
) {
  const app = credentials.apps.find(({ environment }) => environment === wanted)
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

function pathOf(sealed: string): string {
  const token = parseToken(JSON.parse(sealed))
  if (token === null || !isOfSubject(token)) throw new Error("Not a token of a data subject")
  return `/data-subjects/${subjectIdOf(token)}`
}

test("a restored backup opens nothing that was, or was going to be, erased in the named folder since", async () => {
  const parent = await temporaryFolder()
  const [folder, file] = [join(parent, "used"), join(parent, "backup")]
  const [erased, pending] = await serve(folder, async (service) => {
    const sealed = (await call(service, "sandbox", "POST", "/encrypt", '"Ada"')).text
    const undoable = (await call(service, "production", "POST", "/encrypt", '"Ada"')).text
    await backupDataFolder({ folder, file, since: null, ...rest })
    const answers = [
      await call(service, "sandbox", "DELETE", pathOf(sealed)),
      await call(service, "production", "DELETE", pathOf(undoable)),
    ]
    expect(answers[0]?.text).toContain('"status":"erased"')
    expect(answers[1]?.text).toContain('"status":"pending"')
    return [sealed, undoable] as const
  })
  const restored = join(parent, "restored")
  const check = await restoreDataFolder({ files: [file], folder: restored, erasuresOf: folder, ...rest })
  expect(check.ok).toBe(true)
  await serve(restored, async (service) => {
    expect((await call(service, "sandbox", "POST", "/decrypt", erased)).text).toContain("data-subject/erased")
    const refused = await call(service, "production", "POST", "/decrypt", pending)
    expect(refused.text).toContain("data-subject/erased")
    expect((await call(service, "production", "POST", `${pathOf(pending)}/restore`)).status).toBe(200)
  })
  // What was undone since counts more than the folder in which it was not.
  await copyErasures(folder, restored)
  await serve(restored, async (service) => {
    const opened = await call(service, "production", "POST", "/decrypt", pending)
    expect(opened).toEqual({ status: 200, text: '"Ada"' })
  })

  const database = openForWriting(join(folder, TABLES_FOLDER, TABLES_FILE))
  database.connection.exec(
    "UPDATE items SET checksum = checksum + 1 WHERE CAST(partition AS TEXT) LIKE '%-erasures#%'",
  )
  database.close()
  await expect(copyErasures(folder, restored)).rejects.toBeInstanceOf(TablesDamagedError)
  await expect(copyErasures(join(parent, "none"), restored)).rejects.toBeInstanceOf(DataFolderUnusableError)
})
