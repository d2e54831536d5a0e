import { createFetchStorage } from "./fetch-storage.ts"

export const askStorage = createFetchStorage((url, request) => fetch(url, request))
