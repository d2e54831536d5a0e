import { dirname } from "node:path"
import type { YamlDocument } from "../files/yaml-file.ts"
import { findYamlFiles, readYamlFiles } from "../files/yaml-folder.ts"
import type { CliHost } from "../terminal/host.ts"

const TEST = /\.policy-test\.ya?ml$/

/** The documents of a folder's files: roles and policies, and their tests. */
export interface PolicyFolder {
  readonly policies: readonly YamlDocument[]
  readonly tests: readonly YamlDocument[]
}

/**
 * Reads the YAML files in a folder and its subfolders, except hidden ones; or one file. A file of tests comes with the
 * policies of its folder.
 *
 * @throws UsageFailure when there is no such folder or file, or a file is not YAML
 */
export async function readPolicyFolder(host: CliHost, path: string): Promise<PolicyFolder> {
  const isTestFile = TEST.test(path)
  const root = isTestFile ? dirname(path) : path
  const files = await findYamlFiles(host, root)
  const policies = await readYamlFiles(
    host,
    files.filter((name) => !TEST.test(name)),
  )
  const tests = await readYamlFiles(host, isTestFile ? [path] : files.filter((name) => TEST.test(name)))
  return { policies, tests }
}
