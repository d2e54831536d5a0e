import { basename, resolve } from "node:path"
import { formatBytes } from "@sealway/kernel/format-bytes"
import { deleteFile, getFile, listFiles, type File as StoredFile } from "@sealway/sdk/api"
import { type Command, Option } from "commander"
import * as z from "zod"
import { boundGarbage, garbageCollector } from "../bulk/bound-garbage.ts"
import { showRecord } from "../service/show.ts"
import { addResource, flag } from "../session/add-resource.ts"
import { type CommandLine, defineAction, ONE_ARGUMENT } from "../session/define-action.ts"
import { withHint } from "../terminal/failure-of.ts"
import { formatTime } from "../terminal/format.ts"
import type { Column, Output } from "../terminal/output.ts"
import { downloadToFile, downloadToStream } from "../transfers/download-file.ts"
import { uploadFile } from "../transfers/upload-file.ts"

const COLUMNS: readonly Column<StoredFile>[] = [
  { title: "id", value: ({ id }) => id },
  { title: "name", value: ({ name }) => name ?? "" },
  { title: "role", value: ({ role }) => role ?? "" },
  { title: "size", value: ({ size }) => String(size) },
  { title: "type", value: ({ contentType }) => contentType },
  { title: "status", value: ({ status }) => status },
  { title: "created", value: ({ createdAt }) => formatTime(createdAt) },
]

const uploadOptions = z.object({
  name: z.string().optional(),
  role: z.string().optional(),
  contentType: z.string().optional(),
  resume: z.string().optional(),
})

const RANGE = /^(?<first>\d{1,15})-(?<last>\d{0,15})$/

const downloadOptions = z.object({
  output: z.string({ error: "Pass -o with the name of the new file, or - for standard output" }),
  range: z
    .string()
    .regex(RANGE, "--range must be two positions of bytes, such as 0-1023, or 1024- up to the end")
    .transform((text) => {
      const { first = "", last = "" } = RANGE.exec(text)?.groups ?? {}
      return { start: Number(first), end: last === "" ? Number.MAX_SAFE_INTEGER : Number(last) + 1 }
    })
    .refine(({ start, end }) => start < end, "--range must not end before it begins")
    .optional(),
})

export function addFilesCommands(program: Command, line: CommandLine): void {
  const files = program
    .command("files")
    .helpCommand(false)
    .description("files of any size, sealed on their way")

  defineAction(
    line,
    files
      .command("upload")
      .argument("<file>", "file to seal and upload")
      .summary("seal a file and upload it")
      .description(
        "Seals a file with the app's public key and sends it to the storage in parts. Of an upload that was interrupted, " +
          "--resume sends the missing parts: what it needs is in FILE.sealway-upload until then.",
      )
      .option("-r, --role <slug>", "data role whose policies decide who may decrypt it")
      .option("--name <name>", "name in lists (default: the file's name)")
      .option("--content-type <type>", "media type (default: application/octet-stream)")
      .addOption(
        new Option("--resume <id>", "resume an interrupted upload of this file").conflicts([
          "role",
          "name",
          "contentType",
        ]),
      )
      .addHelpText(
        "after",
        `
Examples:
  sealway files upload scan.tiff --role patient
  sealway files upload scan.tiff --resume file_01kamf…`,
      ),
    { options: uploadOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, host, output }, { name, role, contentType, resume = null }, [path]) => {
      const described = {
        name: name ?? nameOf(path),
        role: role ?? null,
        ...(contentType !== undefined && { contentType }),
      }
      boundGarbage()
      let fileId: string | null = null
      const uploading = uploadFile({
        host,
        service: await asApp(),
        path: resolve(host.folder, path),
        described,
        resumed: resume,
        onProgress: progressOf(output, "sent"),
        collect: garbageCollector(),
        onStarted: (id) => {
          fileId = id
        },
      }).catch((error: unknown) => {
        throw fileId === null
          ? error
          : withHint(error, `To resume: sealway files upload ${path} --resume ${fileId}`)
      })
      await showRecord(output, uploading, COLUMNS)
    },
  )

  defineAction(
    line,
    files
      .command("download")
      .argument("<id>", "file id")
      .summary("download a file and decrypt it")
      .description(
        "Decrypts a file, or a range of it, as far as the policies of its role permit. An interrupted download goes on when " +
          "the command is repeated: what is there is in FILE.ID.partial until then.",
      )
      .option("-o, --output <file>", "new file for the content; - for standard output")
      .option("--range <first-last>", "positions of the first and the last byte, from 0")
      .addHelpText(
        "after",
        `
Examples:
  sealway files download file_01kamf… -o scan.tiff
  sealway files download file_01kamf… --range 0-1023 -o - | file -`,
      ),
    { options: downloadOptions, arguments: ONE_ARGUMENT },
    async ({ asApp, host, output }, { output: target, range = null }, [fileId]) => {
      boundGarbage()
      const download = {
        collect: garbageCollector(),
        host,
        service: await asApp(),
        fileId,
        range,
        onProgress: progressOf(output, "received"),
      }
      if (target === "-") return void (await downloadToStream(download, host.stdout))
      await downloadToFile(download, resolve(host.folder, target)).catch((error: unknown) => {
        throw withHint(error, "To resume, repeat the command.")
      })
      output.note(`Wrote ${target}.`)
    },
  )

  addResource(files, line, {
    columns: COLUMNS,
    id: ["id", "file id"],
    list: {
      about: "List the app's files.",
      filters: z.object({ uploading: flag("--uploading", "list the files that are being uploaded instead") }),
      call: ({ service, page, filters: { uploading } }) =>
        listFiles(service, { ...page, status: uploading ? "uploading" : "ready" }),
    },
    records: {
      get: {
        about: "Show a file, without its content.",
        call: ({ service, args: [fileId] }) => getFile(service, { fileId }),
      },
    },
    delete: {
      about: "Delete a file for good, or end its upload.",
      question: (id) => `Delete the file ${id} for good?`,
      call: ({ service, args: [fileId] }) => deleteFile(service, { fileId }),
      done: "Deleted the file",
    },
  })
}

function nameOf(path: string): string {
  return (
    basename(path)
      .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "")
      .slice(0, 255) || "file"
  )
}

function progressOf(output: Output, done: string): (bytes: number, size: number) => void {
  return (bytes, size) => output.progress(`${formatBytes(bytes)} of ${formatBytes(size)} ${done} …`)
}
