import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"

/**
 * Makes a folder in which `infra/synth.ts` finds a project whose stacks are synthesized by this program. The program
 * gets `out`, the folder for the assembly.
 */
export async function fakeProject(folder: string, program: string): Promise<void> {
  await mkdir(join(folder, "scripts"), { recursive: true })
  await mkdir(join(folder, "stacks"), { recursive: true })
  await writeFile(
    join(folder, "scripts", "run.mjs"),
    'import { resolve } from "node:path"\nawait import(resolve(process.argv[2]))\n',
  )
  await writeFile(
    join(folder, "stacks", "synth.ts"),
    `const out = process.argv[process.argv.indexOf("--out") + 1] ?? ""\n${program}\n`,
  )
}
