import type { Files } from '../../config/files.ts'
import { importedFrom } from './imported.ts'

/** Imports the configuration of a LiteLLM proxy, with other files beside it. */
export const imported = (proxy: string, options: readonly string[] = [], files: Files = {}) =>
  importedFrom('litellm', { file: 'litellm.yaml', text: proxy }, options, files)

/** The comments above a field, found by its first words. */
export const above = (text: string, field: string): readonly string[] => {
  const lines = text.split('\n')
  const at = lines.findIndex(line => line.trim().startsWith(`${field}:`))
  const first = lines.slice(0, at).findLastIndex(line => !line.trim().startsWith('#'))
  return lines.slice(first + 1, at).map(line => line.trim())
}

export const entry = (name: string, model: string, more = '') => `
  - model_name: ${name}
    litellm_params: { model: ${model}${more} }`

export const openai = entry('gpt-4o', 'openai/gpt-4o', ', api_key: os.environ/OPENAI_API_KEY')
