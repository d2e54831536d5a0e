/**
 * What `encrypt` makes of data: each string, number and boolean becomes a token, bytes become an encrypted file, and
 * everything else keeps its shape.
 *
 * @example
 * type Sealed = Encrypted<{ card: string; amounts: number[]; note: null }> // { card: string; amounts: string[]; note: null }
 */
export type Encrypted<Data> = unknown extends Data
  ? Data
  : Data extends string | number | boolean
    ? string
    : Data extends Uint8Array | ArrayBuffer
      ? Uint8Array<ArrayBuffer>
      : Data extends File
        ? File
        : Data extends Blob
          ? Blob
          : Data extends ReadableStream
            ? ReadableStream<Uint8Array<ArrayBuffer>>
            : Data extends { toJSON(key?: string): infer Json }
              ? Encrypted<Json>
              : Data extends object
                ? { [Name in keyof Data]: Encrypted<Data[Name]> }
                : Data
