import { spawnSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"

const JACKSON_FOLDER = process.env.JACKSON_FOLDER ?? "/usr/share/java"
const program = (name: string) => join(import.meta.dirname, name)

/** Parsers of other languages, and how they are started. Their programs document their input and output. */
export const LANGUAGES = {
  go: ["go", "run", program("readers.go")],
  java: ["java", "-cp", join(JACKSON_FOLDER, "*"), program("Readers.java")],
  php: ["php", program("readers.php")],
  python: ["python3", program("xml_readers.py")],
  ruby: ["ruby", program("readers.rb")],
} as const satisfies Record<string, readonly string[]>

export type Language = keyof typeof LANGUAGES

/** One of `json`, `xml` and `form`; a body; and other input for its parser. */
export type ReaderTask = readonly [format: string, body: Buffer, ...rest: readonly unknown[]]

/**
 * Returns what parsers give an application, one text for each task; null where the language, or a library it needs, is
 * not installed.
 */
export function askReaders(language: Language, tasks: readonly ReaderTask[]): readonly string[] | null {
  if (language === "java" && !hasJackson()) return null
  const [command, ...options] = LANGUAGES[language]
  const lines = tasks.map(([format, body, ...rest]) =>
    JSON.stringify([format, body.toString("base64"), ...rest]),
  )
  const { status, stdout } = spawnSync(command, options, {
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
    maxBuffer: 100_000_000,
    env: { ...process.env, GOFLAGS: "", GOTOOLCHAIN: "local" },
  })
  if (status !== 0) return null
  const answers: unknown[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  const texts = answers.filter((answer) => typeof answer === "string")
  return texts.length === tasks.length ? texts : null
}

function hasJackson(): boolean {
  try {
    const names = readdirSync(JACKSON_FOLDER)
    return ["jackson-databind", "jackson-dataformat-xml"].every((name) =>
      names.some((each) => each.startsWith(name)),
    )
  } catch {
    return false
  }
}
