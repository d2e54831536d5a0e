const ACTORS: Readonly<Record<string, string>> = {
  "api-key": "API key",
  "team-key": "team key",
  "client-side-token": "client-side token",
  "run-token": "function run",
}

/** Says who has done something: `API key key_1`. */
export const actorInWords = ({ type, id }: { readonly type: string; readonly id: string }): string =>
  `${ACTORS[type] ?? type} ${id}`
