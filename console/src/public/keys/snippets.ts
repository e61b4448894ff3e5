import { boot } from '../../shared/boot.ts'
import type { AgentModels } from './agent-models.ts'

/** A snippet that uses a key, by the name of its tab. `key` is a value, a mask, or a variable. */
export interface Snippet {
  readonly name: string
  /** Where it goes, where that is not clear. */
  readonly into?: string
  readonly text: (key: string) => string
}

/** The models that an agent needs beside a key: large enough for its prompts. */
export interface AgentSnippet extends Omit<Snippet, 'text'> {
  readonly text: (key: string, models: AgentModels) => string
}

/** The variable that stands for a key which is not at hand. */
export const KEY_VARIABLE = `${boot.brand.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`

const api = `${boot.public_url}/v1`
const model = boot.default_model

/** In a shell: a value in quotes that keep all of it, a variable in those that fill it in. */
const shell = (key: string): string => (key.startsWith('$') ? `"${key}"` : `'${key}'`)
/** In a program: the variable is read from the environment. */
const python = (key: string): string => (key.startsWith('$') ? `os.environ["${key.slice(1)}"]` : JSON.stringify(key))
/** The imports of a snippet: reading a variable needs `os`; a value needs none. */
const pythonImports = (key: string): string => (key.startsWith('$') ? 'import os\n' : '')
const node = (key: string): string => (key.startsWith('$') ? `process.env.${key.slice(1)}` : `'${key}'`)

export const SNIPPETS: readonly Snippet[] = [
  {
    name: 'curl',
    text: key => `curl ${api}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H 'content-type: application/json' \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello"}]}'`,
  },
  {
    name: 'Python',
    text: key => `${pythonImports(key)}from openai import OpenAI

client = OpenAI(base_url="${api}", api_key=${python(key)})
answer = client.chat.completions.create(model="${model}", messages=[{"role": "user", "content": "Hello"}])
print(answer.choices[0].message.content)`,
  },
  {
    name: 'Node',
    text: key => `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${api}', apiKey: ${node(key)} })
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello' }],
})
console.log(answer.choices[0].message.content)`,
  },
  {
    name: 'AI SDK',
    text: key => `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const gateway = createOpenAICompatible({ name: '${boot.brand}', baseURL: '${api}', apiKey: ${node(key)} })
const { text } = await generateText({ model: gateway('${model}'), prompt: 'Hello' })
console.log(text)`,
  },
  {
    name: 'LangChain',
    text: key => `${pythonImports(key)}from langchain_openai import ChatOpenAI

chat = ChatOpenAI(base_url="${api}", api_key=${python(key)}, model="${model}")
print(chat.invoke("Hello").content)`,
  },
  {
    name: 'Environment',
    text: key => `export ${KEY_VARIABLE}=${key.startsWith('$') ? `'${boot.brand}_…'` : shell(key)}
export OPENAI_BASE_URL=${api}
export OPENAI_API_KEY="$${KEY_VARIABLE}"`,
  },
]

/** Programs that send long prompts with many tools. */
export const AGENT_SNIPPETS: readonly AgentSnippet[] = [
  {
    name: 'Claude Code',
    text: (key, { main, small, cap }) => `export ANTHROPIC_BASE_URL=${boot.public_url}
export ANTHROPIC_AUTH_TOKEN=${shell(key)}
export ANTHROPIC_MODEL=${main}
export ANTHROPIC_SMALL_FAST_MODEL=${small}
export CLAUDE_CODE_MAX_OUTPUT_TOKENS=${cap}
claude`,
  },
  {
    name: 'Codex',
    into: `~/.codex/config.toml, with ${KEY_VARIABLE} set as under Environment`,
    text: (_key, { main, context }) => `model = "${main}"
model_context_window = ${context}
model_provider = "${boot.brand}"

[model_providers.${boot.brand}]
name = "${boot.brand}"
base_url = "${api}"
env_key = "${KEY_VARIABLE}"
wire_api = "responses"`,
  },
  {
    name: 'Cline',
    text: (key, { main }) =>
      `cline auth --provider openai-compatible --apikey ${shell(key)} --modelid ${main} --baseurl ${api}
cline`,
  },
]
