import { MB } from "@sealway/kernel"
import type { NamedPart, UploadedPart, UploadName } from "./object-store.ts"
import { S3Error } from "./s3-error.ts"

export const XML_TYPE = "application/xml"

const START = '<?xml version="1.0" encoding="UTF-8"?>\n'
const PART_START = "<Part>"
const PART_END = "</Part>"
const NUMBER = /<PartNumber>(?<number>\d{1,5})<\/PartNumber>/
const ETAG = /<ETag>(?:"|&quot;|&#34;)?(?<etag>[0-9a-f]{32})(?:"|&quot;|&#34;)?<\/ETag>/

/** Reads the body of CompleteMultipartUpload. @throws S3Error `MalformedXML` */
export function readPartList(xml: string): readonly NamedPart[] {
  if (!xml.includes("<CompleteMultipartUpload") || xml.length > 4 * MB) throw new S3Error("MalformedXML")
  // Not by one expression for all: it would read the rest again for each start that has no end.
  const parts = xml.split(PART_END).slice(0, -1)
  return parts.map((text) => {
    const start = text.indexOf(PART_START)
    const members = start === -1 ? "" : text.slice(start)
    const { number } = NUMBER.exec(members)?.groups ?? {}
    const { etag } = ETAG.exec(members)?.groups ?? {}
    if (number === undefined) throw new S3Error("MalformedXML")
    if (etag === undefined) throw new S3Error("InvalidPart")
    return { number: Number(number), etag }
  })
}

export function writeNewUpload(upload: UploadName): string {
  return `${START}<InitiateMultipartUploadResult>${nameOf(upload)}</InitiateMultipartUploadResult>`
}

export function writeUploadedObject({ bucket, key }: UploadName): string {
  return `${START}<CompleteMultipartUploadResult><Bucket>${escapeXml(bucket)}</Bucket><Key>${escapeXml(key)}</Key></CompleteMultipartUploadResult>`
}

/** @param hasMore whether parts with higher numbers follow */
export function writePartList(upload: UploadName, parts: readonly UploadedPart[], hasMore: boolean): string {
  const last = parts.at(-1)?.number ?? 0
  const listed = parts.map(
    ({ number, etag, size }) =>
      `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${etag}&quot;</ETag><Size>${size}</Size></Part>`,
  )
  return `${START}<ListPartsResult>${nameOf(upload)}<NextPartNumberMarker>${last}</NextPartNumberMarker><IsTruncated>${hasMore}</IsTruncated>${listed.join("")}</ListPartsResult>`
}

function nameOf({ bucket, key, uploadId }: UploadName): string {
  return `<Bucket>${escapeXml(bucket)}</Bucket><Key>${escapeXml(key)}</Key><UploadId>${escapeXml(uploadId)}</UploadId>`
}

function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`)
}
