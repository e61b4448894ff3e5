import type { Place } from '../../policy/config.ts'

/** Where the key at a place of the files comes from, by their texts: `CLOUD_KEY`, `the file secrets/cloud`. Never the key. */
export function keySource(at: Place | undefined, sources: ReadonlyMap<string, string>): string | undefined {
  if (!at) return undefined
  const line =
    sources
      .get(at.file)
      ?.split(/\r?\n/)
      [at.line - 1]?.slice(at.column - 1) ?? ''
  const written = line.replace(/^["']?key["']?\s*:\s*/, '')
  const variable = /^["']?\$\{(\w+)/.exec(written)?.[1]
  if (variable !== undefined) return variable
  const file = /^["']?file:([^"'\s,}]+)/.exec(written)?.[1]
  return file === undefined ? undefined : `the key in ${file}`
}
