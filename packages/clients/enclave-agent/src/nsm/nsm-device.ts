import { open } from "node:fs/promises"
import { promisify } from "node:util"
import koffi from "koffi"
import { type Exchange, SecurityModuleError } from "./security-module.ts"

/** `NSM_REQUEST_MAX_SIZE` and `NSM_RESPONSE_MAX_SIZE` in aws-nitro-enclaves-nsm-api. */
const MAX_REQUEST_BYTES = 0x1000
const MAX_RESPONSE_BYTES = 0x3000

/** `_IOWR(0x0A, 0, struct nsm_message)` of Linux: direction, size of the message, the driver's letter, the number. */
const NSM_REQUEST = (3 << 30) | (32 << 16) | (0x0a << 8)

/** `struct nsm_message` of Linux: an iovec for the request, and one for the response, whose length the driver sets. */
const Vector = koffi.struct("nsm_iovec", { base: "void *", length: "size_t" })
koffi.struct("nsm_message", { request: Vector, response: Vector })

const ioctl = koffi
  .load(null)
  .func("int ioctl(int device, unsigned long request, _Inout_ nsm_message *message)")
const ioctlElsewhere = promisify(ioctl.async)

/**
 * Opens the device of the Nitro Security Module. It exists in enclaves only.
 *
 * @param path default: `/dev/nsm`
 * @throws Error of `node:fs` when there is no such device
 */
export async function openNsmDevice(path = "/dev/nsm"): Promise<Exchange> {
  const device = await open(path, "r+")
  return async (request) => {
    if (request.length > MAX_REQUEST_BYTES) throw new SecurityModuleError("The request is too large")
    const response = Buffer.alloc(MAX_RESPONSE_BYTES)
    const message = {
      request: { base: request, length: request.length },
      response: { base: response, length: response.length },
    }
    // The module takes a millisecond, and longer when many ask.
    const status: unknown = await ioctlElsewhere(device.fd, NSM_REQUEST >>> 0, message)
    if (status !== 0) throw new SecurityModuleError("The security module does not take the request")
    return response
  }
}
