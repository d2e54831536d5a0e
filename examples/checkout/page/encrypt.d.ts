export function createSealer(app: {
  readonly publicKey: string
  readonly role: string
  readonly isSandbox: boolean
}): (text: string) => Promise<string>
