import { Level } from "level"
import { DataFolderInUseError, DataFolderUnusableError } from "../errors.ts"

/**
 * Opens the LevelDB folder and closes it again. dynalite opens it behind its constructor and, when that fails, throws
 * from a timer at the first request, which would end the process without saying why.
 *
 * @throws DataFolderInUseError, DataFolderUnusableError
 */
export async function checkDatabase(path: string): Promise<void> {
  const database = new Level(path)
  try {
    await database.open()
  } catch (error) {
    const { cause } = error instanceof Error ? error : {}
    if (cause instanceof Error && "code" in cause && cause.code === "LEVEL_LOCKED") {
      throw new DataFolderInUseError(path, { cause: error })
    }
    throw new DataFolderUnusableError(path, { cause: error })
  }
  await database.close()
}
