import { join } from 'node:path'
import type { Agent, AgentFile, ProcessSetup, Site } from './agent.ts'
import { codexCatalogue } from './codex-catalogue.ts'

/**
 * Every agent that svcctl sets up. Each has its test with the real program in test/agents/setup.test.ts, but for Crush and goose, whose
 * programs come from GitHub alone: their settings are those of their documentation.
 */
export const AGENTS: readonly Agent[] = [
  {
    name: 'claude',
    title: 'Claude Code',
    program: 'claude',
    credential: 'command',
    dialect: 'messages',
    files: site => [
      {
        path: '.claude/settings.json',
        format: 'json',
        settings: [
          { at: ['apiKeyHelper'], value: shellLine(site.credential.command) },
          ...Object.entries(claudeEnv(site)).map(([name, value]) => ({ at: ['env', name], value })),
        ],
      },
    ],
    process: site => ({
      env: claudeEnv(site),
      args: ['--settings', JSON.stringify({ apiKeyHelper: shellLine(site.credential.command) })],
    }),
    overrides: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  },
  {
    name: 'codex',
    title: 'Codex',
    program: 'codex',
    credential: 'command',
    dialect: 'responses',
    catalogue: codexCatalogue,
    files: site => [
      ...codexModels(site),
      {
        path: '.codex/config.toml',
        format: 'toml',
        settings: [
          { at: ['model'], value: site.model },
          { at: ['model_provider'], value: PROVIDER },
          // One of the user would go before the catalogue, for whichever model.
          ...(site.catalogue ? [{ at: ['model_context_window'], value: undefined }] : []),
          ...Object.entries(codexContext(site, join(site.home, CODEX_MODELS))).map(([name, value]) => ({
            at: [name],
            value,
          })),
          { at: ['model_providers', PROVIDER], value: codexProvider(site) },
        ],
      },
    ],
    process: site => ({
      args: [
        ...override('model', site.model),
        ...override('model_provider', PROVIDER),
        ...(site.catalogue ? [] : codexOverrides('', codexContext(site, ''))),
        ...codexOverrides(`model_providers.${PROVIDER}.`, codexProvider(site)),
      ],
      ...(site.catalogue && {
        file: {
          name: 'models.json',
          text: JSON.stringify({ models: site.catalogue }),
          args: (path: string) => codexOverrides('', codexContext(site, path)),
        },
      }),
    }),
    overrides: [],
  },
  {
    name: 'opencode',
    title: 'OpenCode',
    program: 'opencode',
    credential: 'key',
    dialect: 'chat',
    files: site => [
      {
        path: '.config/opencode/opencode.json',
        format: 'json',
        settings: [
          { at: ['model'], value: `${PROVIDER}/${site.model}` },
          { at: ['small_model'], value: `${PROVIDER}/${site.model}` },
          { at: ['provider', PROVIDER], value: opencodeProvider(site) },
        ],
      },
    ],
    process: site => ({
      env: {
        OPENCODE_CONFIG_CONTENT: JSON.stringify({
          model: `${PROVIDER}/${site.model}`,
          small_model: `${PROVIDER}/${site.model}`,
          provider: { [PROVIDER]: opencodeProvider(site) },
        }),
      },
    }),
    overrides: ['OPENCODE_CONFIG_CONTENT'],
  },
  {
    name: 'qwen',
    title: 'Qwen Code',
    program: 'qwen',
    credential: 'key',
    dialect: 'chat',
    files: ({ baseURL, model, credential }) => [
      {
        path: '.qwen/settings.json',
        format: 'json',
        settings: [
          { at: ['security', 'auth', 'selectedType'], value: 'openai' },
          { at: ['security', 'auth', 'apiKey'], value: credential.key },
          { at: ['security', 'auth', 'baseUrl'], value: baseURL },
          { at: ['model', 'name'], value: model },
        ],
      },
    ],
    process: ({ baseURL, model, credential }) => ({
      env: { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: credential.key, OPENAI_MODEL: model },
      args: ['--auth-type', 'openai'],
    }),
    overrides: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL'],
  },
  {
    name: 'cline',
    title: 'Cline',
    program: 'cline',
    credential: 'key',
    dialect: 'chat',
    files: site => [
      {
        path: '.cline/data/settings/providers.json',
        format: 'json',
        settings: clineSettings(site),
      },
    ],
    process: site => ({
      file: {
        name: 'settings/providers.json',
        text: JSON.stringify(clineFile(site)),
        args: (_path, folder) => ['--data-dir', folder],
      },
    }),
    overrides: [],
  },
  {
    name: 'continue',
    title: 'Continue',
    program: 'cn',
    credential: 'key',
    dialect: 'chat',
    files: site => [
      {
        path: '.continue/config.yaml',
        format: 'yaml',
        settings: [...continueHead, { at: ['models', { named: PROVIDER }], value: continueModel(site) }],
      },
    ],
    process: site => ({
      file: {
        name: 'config.yaml',
        // JSON is YAML.
        text: JSON.stringify({ ...CONTINUE_HEAD, models: [continueModel(site)] }),
        args: path => ['--config', path],
      },
    }),
    overrides: [],
  },
  {
    name: 'copilot',
    title: 'GitHub Copilot CLI',
    program: 'copilot',
    credential: 'key',
    dialect: 'chat',
    process: ({ baseURL, model, credential }): ProcessSetup => ({
      env: {
        COPILOT_PROVIDER_BASE_URL: baseURL,
        COPILOT_PROVIDER_API_KEY: credential.key,
        COPILOT_PROVIDER_WIRE_API: 'completions',
        COPILOT_MODEL: model,
        COPILOT_OFFLINE: 'true',
      },
    }),
    overrides: [],
  },
  {
    name: 'aider',
    title: 'aider',
    program: 'aider',
    credential: 'key',
    dialect: 'chat',
    files: site => [
      ...aiderMetadata(site),
      {
        path: '.aider.conf.yml',
        format: 'yaml',
        settings: Object.entries(aiderSettings(site)).map(([name, value]) => ({ at: [name], value })),
      },
    ],
    process: ({ baseURL, model, credential }) => ({
      env: { OPENAI_API_BASE: baseURL, OPENAI_API_KEY: credential.key },
      args: ['--model', aiderModel(model), '--weak-model', aiderModel(model)],
    }),
    overrides: ['OPENAI_API_BASE', 'OPENAI_API_KEY', 'AIDER_MODEL', 'AIDER_OPENAI_API_BASE', 'AIDER_OPENAI_API_KEY'],
  },
  {
    name: 'crush',
    title: 'Crush',
    program: 'crush',
    credential: 'key',
    dialect: 'chat',
    files: site => [
      {
        path: '.config/crush/crush.json',
        format: 'json',
        settings: [
          { at: ['providers', PROVIDER], value: crushProvider(site) },
          { at: ['models', 'large'], value: crushChoice(site) },
          { at: ['models', 'small'], value: crushChoice(site) },
        ],
      },
    ],
    process: site => ({
      file: {
        name: 'crush.json',
        text: JSON.stringify({
          providers: { [PROVIDER]: crushProvider(site) },
          models: { large: crushChoice(site), small: crushChoice(site) },
        }),
        args: () => [],
        env: (_path, folder) => ({ CRUSH_GLOBAL_CONFIG: folder }),
      },
    }),
    overrides: ['CRUSH_GLOBAL_CONFIG'],
  },
  {
    name: 'goose',
    title: 'goose',
    program: 'goose',
    credential: 'key',
    dialect: 'chat',
    process: ({ gateway, model, credential }): ProcessSetup => ({
      env: {
        GOOSE_PROVIDER: 'openai',
        GOOSE_MODEL: model,
        OPENAI_HOST: gateway,
        OPENAI_BASE_PATH: 'v1/chat/completions',
        OPENAI_API_KEY: credential.key,
      },
    }),
    overrides: ['GOOSE_PROVIDER', 'GOOSE_MODEL', 'OPENAI_HOST', 'OPENAI_BASE_PATH', 'OPENAI_API_KEY'],
  },
]

/** The name of the gateway in files of agents. */
const PROVIDER = 'svc'

/** A command as a shell reads it. */
export const shellLine = (words: readonly string[]): string =>
  words.map(word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ')

const claudeEnv = ({ gateway, model }: Site<'command'>): Readonly<Record<string, string>> => ({
  ANTHROPIC_BASE_URL: gateway,
  ANTHROPIC_MODEL: model,
  ANTHROPIC_SMALL_FAST_MODEL: model,
})

/** Below the home directory. */
const CODEX_MODELS = '.codex/svc-models.json'

const codexModels = ({ catalogue }: Site<'command'>): readonly AgentFile[] =>
  catalogue ? [{ path: CODEX_MODELS, format: 'json', own: true, settings: [{ at: ['models'], value: catalogue }] }] : []

/** How Codex learns the context windows: by a catalogue, in place of its own, else for the chosen model alone. */
function codexContext({ catalogue, listed }: Site<'command'>, path: string): Readonly<Record<string, unknown>> {
  if (catalogue) return { model_catalog_json: path }
  return listed ? { model_context_window: listed.context } : {}
}

/** A command that starts on a busy machine takes longer than the 5 s that Codex waits by default. */
const CODEX_PATIENCE_MS = 30_000

function codexProvider({ baseURL, credential }: Site<'command'>): Readonly<Record<string, unknown>> {
  const [command, ...args] = credential.command
  return {
    name: PROVIDER,
    base_url: baseURL,
    wire_api: 'responses',
    auth: { command, args, timeout_ms: CODEX_PATIENCE_MS },
  }
}

const override = (name: string, value: unknown): readonly string[] => ['-c', `${name}=${JSON.stringify(value)}`]

/** Strings, numbers and lists of them are written in TOML as in JSON. */
const codexOverrides = (at: string, table: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(table).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? codexOverrides(`${at}${name}.`, value as Readonly<Record<string, unknown>>)
      : override(`${at}${name}`, value),
  )

const opencodeProvider = ({ baseURL, model, listed, credential }: Site<'key'>): object => ({
  npm: '@ai-sdk/openai-compatible',
  name: PROVIDER,
  options: { baseURL, apiKey: credential.key },
  models: {
    [model]: { name: model, ...(listed && { limit: { context: listed.context, output: listed.output } }) },
  },
})

const CLINE_PROVIDER = 'openai-compatible'

const clineProvider = ({ baseURL, model, credential }: Site<'key'>): object => ({
  settings: { provider: CLINE_PROVIDER, apiKey: credential.key, model, baseUrl: baseURL },
  updatedAt: new Date(0).toISOString(),
  tokenSource: 'manual',
})

const clineSettings = (site: Site<'key'>): AgentFile['settings'] => [
  { at: ['version'], value: 1 },
  { at: ['lastUsedProvider'], value: CLINE_PROVIDER },
  { at: ['providers', CLINE_PROVIDER], value: clineProvider(site) },
]

const clineFile = (site: Site<'key'>): object => ({
  version: 1,
  lastUsedProvider: CLINE_PROVIDER,
  modes: {},
  providers: { [CLINE_PROVIDER]: clineProvider(site) },
})

const CONTINUE_HEAD = { name: PROVIDER, version: '0.0.1', schema: 'v1' }

/** Continue refuses a file without these. */
const continueHead: AgentFile['settings'] = Object.entries(CONTINUE_HEAD).map(([name, value]) => ({
  at: [name],
  value,
}))

const continueModel = ({ baseURL, model, credential }: Site<'key'>): object => ({
  name: PROVIDER,
  provider: 'openai',
  model,
  apiBase: baseURL,
  apiKey: credential.key,
  roles: ['chat', 'edit', 'apply'],
  capabilities: ['tool_use'],
})

/** aider asks a server of this kind for whatever follows the slash. */
const aiderModel = (model: string): string => `openai/${model}`

const aiderSettings = ({ baseURL, model, credential }: Site<'key'>): Readonly<Record<string, string>> => ({
  model: aiderModel(model),
  'weak-model': aiderModel(model),
  'openai-api-base': baseURL,
  'openai-api-key': credential.key,
})

/** aider knows the context window of a model by this file of the home directory. */
const aiderMetadata = ({ model, listed }: Site<'key'>): readonly AgentFile[] => {
  if (!listed) return []
  const { context, output } = listed
  const value = { max_input_tokens: context, max_output_tokens: output, litellm_provider: 'openai', mode: 'chat' }
  return [{ path: '.aider.model.metadata.json', format: 'json', settings: [{ at: [aiderModel(model)], value }] }]
}

const crushProvider = ({ baseURL, model, listed, credential }: Site<'key'>): object => ({
  name: PROVIDER,
  type: 'openai-compat',
  base_url: baseURL,
  api_key: credential.key,
  models: [
    { id: model, name: model, ...(listed && { context_window: listed.context, default_max_tokens: listed.output }) },
  ],
})

const crushChoice = ({ model }: Site<'key'>): object => ({ provider: PROVIDER, model })
