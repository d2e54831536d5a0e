import { execFile } from "node:child_process"
import { env } from "node:process"
import { promisify } from "node:util"

const run = promisify(execFile)
type Command = readonly [program: string, ...args: string[]]

/** A language whose snippet needs the vendor's package from a registry. */
export interface SnippetLanguage {
  /** As in the page's block. */
  readonly name: "go" | "ruby" | "php" | "java"
  /** What the snippet is written into. */
  readonly file: string
  /** Fetch the package into the folder, by the language's usual client. */
  readonly fetch: readonly Command[]
  /** Compiles the snippet with the package and runs it; for Java, which cannot reach a local service, compiles it. */
  readonly run: Command
  /** Reads the snippet without the package. */
  readonly parse: Command
  /** What reading it may report for want of the package alone. */
  readonly lacks?: RegExp
}

export const SNIPPET_LANGUAGES: readonly SnippetLanguage[] = [
  {
    name: "go",
    file: "main.go",
    fetch: [
      ["go", "mod", "init", "example.com/snippet"],
      ["go", "get", "github.com/evervault/evervault-go"],
    ],
    run: ["go", "run", "."],
    parse: ["gofmt", "-e", "-l", "main.go"],
  },
  {
    name: "ruby",
    file: "snippet.rb",
    fetch: [["gem", "install", "--no-document", "--install-dir", ".", "evervault"]],
    run: ["ruby", "snippet.rb"],
    parse: ["ruby", "-c", "snippet.rb"],
  },
  {
    name: "php",
    file: "snippet.php",
    fetch: [["composer", "require", "evervault/evervault-php"]],
    run: ["php", "snippet.php"],
    parse: ["php", "-l", "snippet.php"],
  },
  {
    name: "java",
    file: "Snippet.java",
    fetch: [
      [
        ...(["mvn", "-q", "-B", "-Dmaven.repo.local=repository"] as const),
        ...["org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"],
        ...["-Dartifact=com.evervault:lib:LATEST", "-DoutputDirectory=."],
      ],
    ],
    run: ["javac", "-cp", "*", "Snippet.java"],
    parse: ["javac", "Snippet.java"],
    lacks: /error: (?:package com\.evervault[\w.]* does not exist|cannot find symbol)$/,
  },
]

export interface Outcome {
  readonly isDone: boolean
  /** What the program wrote, errors too. */
  readonly output: string
}

/** Runs a command in a folder. Null: the machine does not have the program. */
export async function tryCommand(
  [program, ...args]: Command,
  cwd: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<Outcome | null> {
  try {
    const { stdout, stderr } = await run(program, args, {
      cwd,
      timeout: 60_000,
      env: { ...env, GEM_PATH: cwd, ...variables },
    })
    return { isDone: true, output: stdout + stderr }
  } catch (error) {
    if (!(error instanceof Error) || ("code" in error && error.code === "ENOENT")) return null
    return { isDone: false, output: error.message }
  }
}
