import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"

const execute = promisify(execFile)

/** Creates a self-signed certificate for the destination, in files of a folder: `key.pem` and `certificate.pem`. */
export async function createCertificate(
  folder: string,
): Promise<{ readonly key: string; readonly certificate: string }> {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  await execute("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
    ...["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
    ...["-keyout", key, "-out", certificate],
  ])
  return { key: await readFile(key, "utf8"), certificate: await readFile(certificate, "utf8") }
}
