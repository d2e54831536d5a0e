import { Alert, Checkbox, FileInput, Progress, Stack, Text, TextInput } from "@mantine/core"
import { notifications } from "@mantine/notifications"
import { BinFileError } from "@sealway/kernel/bin-file"
import type { BinTable } from "@sealway/sdk/api"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef, useState } from "react"
import { teamTransport } from "../../api/transport.ts"
import { Dialog, DialogForm } from "../../components/form-dialog.tsx"
import { Problem } from "../../components/problem.tsx"
import { BIN_TABLES_KEY } from "./bin-tables-key.ts"
import { type ImportProgress, importBinTable } from "./import-bin-table.ts"

interface ImportBinTableDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** The table whose import ended early; null for a new one. */
  readonly table: BinTable | null
}

/** Imports a CSV file into a new BIN table, or continues an import. Closing it stops the import. */
export function ImportBinTableDialog({ isOpen, onClose, table }: ImportBinTableDialogProps) {
  const title = table === null ? "Import a BIN table" : `Continue the import of ${table.name}`
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <ImportForm onClose={onClose} table={table} />
    </Dialog>
  )
}

function ImportForm({ onClose, table }: Omit<ImportBinTableDialogProps, "isOpen">) {
  const client = useQueryClient()
  const [file, setFile] = useState<File | null>(null)
  const [name, setName] = useState("")
  const [isActivated, setActivated] = useState(true)
  const [progress, setProgress] = useState<ImportProgress | null>(null)
  const stop = useRef(new AbortController())
  /** What an import that was interrupted goes on with. */
  const begun = useRef<string | null>(table?.id ?? null)
  useEffect(() => {
    const { current } = stop
    return () => current.abort()
  }, [])
  const importing = useMutation({
    mutationFn: (chosen: File) =>
      importBinTable({
        transport: teamTransport,
        file: chosen,
        isActivated,
        signal: stop.current.signal,
        target: begun.current === null ? { name: name || nameOf(chosen) } : { id: begun.current },
        onTable(id) {
          begun.current = id
        },
        onProgress: setProgress,
      }),
    onError(problem) {
      if (problem instanceof BinFileError) begun.current = table?.id ?? null
    },
    onSuccess(done) {
      notifications.show({
        title: "Imported",
        message: `${done.name} has ${done.rows.toLocaleString()} rows.`,
      })
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: BIN_TABLES_KEY }),
  })
  const { error } = importing
  return (
    <DialogForm
      change={{ ...importing, mutate: () => file !== null && importing.mutate(file) }}
      action="Import"
      onCancel={onClose}
      showsProblem={false}
    >
      <FileInput
        label="CSV file"
        description="With a header: from, to, brand, and where known funding, segment, country, currency, issuer, productName, type. from and to are the first 6 to 10 digits"
        placeholder="Choose a file"
        value={file}
        onChange={(chosen) => {
          setFile(chosen)
          // The rows of another file do not follow those that were sent.
          begun.current = table?.id ?? null
        }}
        accept=".csv,text/csv"
        required
        data-autofocus
      />
      {table === null ? (
        <TextInput
          label="Name"
          placeholder={file === null ? "" : nameOf(file)}
          description="Default: the file's name"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={100}
        />
      ) : (
        <Text size="sm">It has {table.rows.toLocaleString()} rows. Choose the same file.</Text>
      )}
      <Checkbox
        label="Activate it when all rows are there"
        checked={isActivated}
        onChange={({ currentTarget }) => setActivated(currentTarget.checked)}
      />
      {importing.isPending && progress !== null && <ShownProgress progress={progress} />}
      {error instanceof BinFileError && (
        <Alert color="red" variant="light" role="alert" title="The file cannot be imported">
          {error.message}
        </Alert>
      )}
      {error && !(error instanceof BinFileError) && <Problem error={error} />}
    </DialogForm>
  )
}

function ShownProgress({ progress: { step, done, total } }: { readonly progress: ImportProgress }) {
  const label =
    total === null
      ? `${done.toLocaleString()} records read`
      : `${done.toLocaleString()} of ${total.toLocaleString()} rows sent`
  return (
    <Stack gap={4}>
      <Progress
        value={total === null ? 100 : (100 * done) / total}
        animated={step === "reading"}
        aria-label={label}
      />
      <Text size="sm" role="status">
        {label}
      </Text>
    </Stack>
  )
}

/** Returns a name for a table that the service accepts. */
function nameOf(file: File): string {
  return file.name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "").slice(0, 100) || "BIN table"
}
