import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { errorCodeOf, MB } from "@sealway/kernel"
import {
  backupDataFolder,
  checkDataFolder,
  type DataFolderCheck,
  EmbeddedCloudError,
  restoreDataFolder,
} from "@sealway/local/data"
import type { Command } from "commander"
import * as z from "zod"
import { reasonOf } from "../files/read-input.ts"
import { type CommandLine, defineAction, NO_OPTIONS, ONE_ARGUMENT } from "../session/define-action.ts"
import { isInteractive, readSecret } from "../terminal/ask.ts"
import { EXIT } from "../terminal/exit-codes.ts"
import { CommandFailure, UsageFailure } from "../terminal/failures.ts"
import { formatJson, NOTHING } from "../terminal/format.ts"
import type { CliHost } from "../terminal/host.ts"
import type { Column, Output } from "../terminal/output.ts"

const DEFAULT_FOLDER = ".sealway"
const MIN_PASSPHRASE_LENGTH = 12

const COLUMNS: readonly Column<DataFolderCheck["findings"][number]>[] = [
  { title: "part", value: ({ part }) => part },
  { title: "state", value: ({ ok }) => (ok ? "ok" : "FAILED") },
  { title: "found", value: ({ detail }) => detail },
]

const passphraseFile = z.string().optional()
const folderArguments = z.union([z.tuple([]), z.tuple([z.string()])])

const PASSPHRASE_OPTION = [
  "--passphrase-file <file>",
  "file whose first line is the passphrase (default: asks, or reads standard input)",
] as const

export function addDataCommands(program: Command, line: CommandLine): void {
  const data = program.command("data").helpCommand(false).description("the data folder of `npm start`")

  defineAction(
    line,
    data
      .command("check")
      .argument("[folder]", `the data folder (default: ${DEFAULT_FOLDER})`)
      .summary("check a data folder for damage")
      .description(
        "Reads the manifest, decrypts the keys with the master key, and reads every row of the tables. Changes nothing. " +
          "The service must be stopped. Exit status 1 when something is missing or damaged.",
      ),
    { options: NO_OPTIONS, arguments: folderArguments },
    async ({ host, output }, _, [folder = DEFAULT_FOLDER]) => {
      const check = await withData(() =>
        checkDataFolder(resolve(host.folder, folder), (rows) => {
          host.signal.throwIfAborted()
          output.progress(`${rows} rows`)
        }),
      )
      printCheck(output, check)
      return check.ok ? EXIT.ok : EXIT.failed
    },
  )

  defineAction(
    line,
    data
      .command("backup")
      .argument("<file>", "file to write; must not exist")
      .summary("write an encrypted copy of a data folder")
      .description(
        "Copies keys, tables, functions' code and credentials into one file, encrypted with a passphrase. The service may keep running. " +
          "With --since, the file has only what has changed since another backup, and needs that one to be restored.",
      )
      .option("--since <file>", "the last backup, with the same passphrase: write only what has changed")
      .option("--data <folder>", `the data folder (default: ${DEFAULT_FOLDER})`)
      .option(...PASSPHRASE_OPTION),
    {
      options: z.object({
        data: z.string().default(DEFAULT_FOLDER),
        since: z.string().optional(),
        passphraseFile,
      }),
      arguments: ONE_ARGUMENT,
    },
    async ({ host, output }, options, [file]) => {
      const passphrase = await readPassphrase(host, options.passphraseFile, { isNew: true })
      const bytes = await withData(() =>
        backupDataFolder({
          folder: resolve(host.folder, options.data),
          file: resolve(host.folder, file),
          passphrase,
          since: options.since === undefined ? null : resolve(host.folder, options.since),
          onProgress: (written) => output.progress(`${inMebibytes(written)} MB written`),
          signal: host.signal,
        }),
      )
      if (output.mode === "json") output.json(formatJson({ file, bytes }))
      else output.line(file)
      output.note(`${bytes} bytes. Only the passphrase opens the file: store them separately.`)
      return EXIT.ok
    },
  )

  defineAction(
    line,
    data
      .command("restore")
      .argument("<file>", "the backup")
      .argument("<folder>", "the new data folder; must be missing or empty")
      .summary("restore a backup into a new data folder")
      .description("Decrypts a backup, checks everything in it, and only then creates the folder.")
      .option(
        "--increment <file...>",
        "the backups that were made --since it, in their order, up to the time you want",
      )
      .option(
        "--erasures-of <folder>",
        "data folder whose erasures of data subjects apply too: the one in use until now",
      )
      .option(...PASSPHRASE_OPTION),
    {
      options: z.object({
        passphraseFile,
        erasuresOf: z.string().optional(),
        increment: z.array(z.string()).default([]),
      }),
      arguments: z.tuple([z.string(), z.string()]),
    },
    async ({ host, output }, options, [file, folder]) => {
      const passphrase = await readPassphrase(host, options.passphraseFile, { isNew: false })
      const check = await withData(() =>
        restoreDataFolder({
          files: [file, ...options.increment].map((each) => resolve(host.folder, each)),
          folder: resolve(host.folder, folder),
          passphrase,
          erasuresOf: options.erasuresOf === undefined ? null : resolve(host.folder, options.erasuresOf),
          onProgress: (written) => output.progress(`${inMebibytes(written)} MB restored`),
          signal: host.signal,
        }),
      )
      printCheck(output, check)
      return EXIT.ok
    },
  )
}

function printCheck(output: Output, check: DataFolderCheck): void {
  if (output.mode === "json") output.json(formatJson(check))
  else if (output.mode === "quiet") output.line(check.id ?? NOTHING)
  else {
    output.rows(COLUMNS, check.findings)
    output.note(
      check.lastCleanStopAt === null
        ? "The service did not stop cleanly: it was killed, or it was running during the backup."
        : `Last stopped cleanly at ${check.lastCleanStopAt}.`,
    )
  }
}

async function readPassphrase(
  host: CliHost,
  file: string | undefined,
  { isNew }: { readonly isNew: boolean },
): Promise<string> {
  const passphrase =
    file === undefined ? await readSecret(host, "Passphrase: ") : await readPassphraseFile(host, file)
  if (!isNew) return passphrase
  if (passphrase.length < MIN_PASSPHRASE_LENGTH) {
    throw new UsageFailure(`The passphrase must have at least ${MIN_PASSPHRASE_LENGTH} characters.`)
  }
  const needsAgain = file === undefined && isInteractive(host)
  if (needsAgain && (await readSecret(host, "Passphrase again: ")) !== passphrase) {
    throw new UsageFailure("The two passphrases differ.")
  }
  return passphrase
}

async function readPassphraseFile({ folder }: CliHost, file: string): Promise<string> {
  try {
    return ((await readFile(resolve(folder, file), "utf8")).split("\n", 1)[0] ?? "").trim()
  } catch (error) {
    throw new UsageFailure(`${file} cannot be read${reasonOf(error)}.`, { cause: error })
  }
}

/** Translates failures of the data folder and of files. */
async function withData<Result>(use: () => Promise<Result>): Promise<Result> {
  try {
    return await use()
  } catch (error) {
    if (error instanceof EmbeddedCloudError) {
      throw new CommandFailure(error.code, error.message, EXIT.failed, { cause: error })
    }
    if (error instanceof Error && errorCodeOf(error) !== "" && "path" in error) {
      throw new UsageFailure(`${error.path} cannot be used${reasonOf(error)}.`, { cause: error })
    }
    throw error
  }
}

function inMebibytes(bytes: number): string {
  return (bytes / MB).toFixed(1)
}
