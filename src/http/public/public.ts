import type { Identified } from '../../gateway/accounts/identified.ts'
import type { Identify } from '../../gateway/accounts/identify.ts'
import { readQuota } from '../../gateway/accounts/quota.ts'
import { agentPrefix } from '../../gateway/accounts/sign-in/agent-tokens.ts'
import type { Model } from '../../policy/config.ts'
import { planOf } from '../../policy/plan.ts'
import { clientTerms } from '../../wire/client-request.ts'
import { parseChat, readInputAsChat } from '../../wire/input-as-chat.ts'
import { outlineEmbeddings, parseBody } from '../../wire/openai/body.ts'
import { catalog, catalogModel } from '../../wire/openai/catalog.ts'
import { checkChat, readChat } from '../../wire/openai/chat.ts'
import { checkEmbeddings, readEmbeddings } from '../../wire/openai/embeddings.ts'
import { checkImages, readImages } from '../../wire/openai/images.ts'
import { quotaRecord } from '../../wire/quota-record.ts'
import { showReady } from '../health.ts'
import type { HttpCall } from '../listener/call.ts'
import { clientCredential } from '../listener/credentials.ts'
import { listRequests, showAccount, showUsage } from './account.ts'
import { issueAgentToken } from './agent-tokens.ts'
import { claudeEndpoints } from './claude-login.ts'
import type { ClientApp } from './client-app.ts'
import { type ClientEndpoint, familyOfClients } from './client-family.ts'
import { confirmMail, showConfirmation } from './confirm-mail.ts'
import { serveConsoleFile, showConsole } from './console.ts'
import { listOwnKeys, mintKey, revokeKey, rotateKey } from './developer-keys.ts'
import { dialectEndpoints } from './dialects.ts'
import { listErrors, showErrorDocs, showOpenApi } from './docs.ts'
import { mintGuestKey } from './guests.ts'
import { asksForTools, inference } from './infer.ts'
import { showInvoices } from './invoices.ts'
import { joinAccount } from './join-account.ts'
import { changeOwnNotices, showOwnNotices } from './own-notices.ts'
import { passthroughEndpoints } from './passthrough.ts'
import { scimEndpoints } from './scim.ts'

/** The endpoints for clients. */
export const publicEndpoints: readonly ClientEndpoint[] = [
  {
    method: 'POST',
    path: '/v1/chat/completions',
    who: 'caller',
    rate: 'plan',
    admits: true,
    infers: true,
    sheds: true,
    run: inference({
      elides: 'chat',
      parse: parseChat,
      asksPlan: ({ outline }, app) => asksForTools(outline, app),
      check: (parsed, { config, settings }, caller) =>
        parsed.input
          ? readInputAsChat(parsed.input, clientTerms(config, settings.brand, caller))
          : checkChat(parsed, { brand: settings.brand, declared: config.tools }, config.declared.chat),
    }),
  },
  {
    method: 'POST',
    path: '/v1/embeddings',
    who: 'caller',
    rate: 'plan',
    admits: true,
    infers: true,
    sheds: true,
    run: inference({
      elides: 'embeddings',
      parse: outlineEmbeddings,
      check: (parsed, { config, settings }) =>
        checkEmbeddings(parsed, settings.limits.embeddingBatch, config.declared.embedding),
    }),
  },
  {
    method: 'POST',
    path: '/v1/images/generations',
    who: 'caller',
    rate: 'plan',
    admits: true,
    infers: true,
    sheds: true,
    run: inference({
      elides: 'none',
      parse: parseBody,
      check: (parsed, { config }) => checkImages(parsed, config.declared.image),
    }),
  },
  ...dialectEndpoints,
  { method: 'GET', path: '/v1/models', who: 'anyone', rate: 'reads', run: listModels },
  { method: 'GET', path: '/v1/models/{id}', slashes: true, who: 'anyone', rate: 'reads', run: showModel },
  { method: 'GET', path: '/v1/account', who: 'caller', rate: 'reads', quiet: true, run: showAccount },
  { method: 'POST', path: '/v1/account/join', who: 'person', rate: 'reads', run: joinAccount },
  {
    method: 'GET',
    path: '/v1/account/notices',
    who: 'signed-in',
    of: 'notices',
    rate: 'reads',
    quiet: true,
    run: showOwnNotices,
  },
  {
    method: 'POST',
    path: '/v1/account/notices',
    who: 'signed-in',
    of: 'notices',
    rate: 'reads',
    run: changeOwnNotices,
  },
  { method: 'GET', path: '/v1/account/notices/confirm', who: 'anyone', rate: 'reads', run: showConfirmation },
  { method: 'POST', path: '/v1/account/notices/confirm', who: 'anyone', rate: 'reads', run: confirmMail },
  { method: 'GET', path: '/v1/requests', who: 'caller', rate: 'reads', quiet: true, sheds: true, run: listRequests },
  { method: 'GET', path: '/billing/quota', who: 'caller', rate: 'reads', run: showQuota },
  { method: 'GET', path: '/billing/usage', who: 'caller', rate: 'reads', quiet: true, sheds: true, run: showUsage },
  {
    method: 'GET',
    path: '/billing/invoices',
    who: 'caller',
    rate: 'reads',
    quiet: true,
    sheds: true,
    run: showInvoices,
  },
  {
    method: 'POST',
    path: '/v1/agent-tokens',
    who: 'signed-in',
    of: 'agent-tokens',
    rate: 'reads',
    run: issueAgentToken,
  },
  {
    method: 'GET',
    path: '/v1/keys/developer',
    who: 'signed-in',
    of: 'keys',
    rate: 'reads',
    quiet: true,
    run: listOwnKeys,
  },
  {
    method: 'POST',
    path: '/v1/keys/developer',
    who: 'signed-in',
    of: 'keys',
    rate: 'reads',
    sheds: true,
    run: mintKey,
  },
  { method: 'POST', path: '/v1/keys/developer/rotate', who: 'signed-in', of: 'keys', rate: 'reads', run: rotateKey },
  { method: 'POST', path: '/v1/keys/developer/revoke', who: 'signed-in', of: 'keys', rate: 'reads', run: revokeKey },
  { method: 'POST', path: '/v1/keys/guest', who: 'anyone', rate: 'reads', sheds: true, run: mintGuestKey },
  { method: 'GET', path: '/readyz', who: 'anyone', rate: 'probe', run: showReady },
  { method: 'GET', path: '/docs/errors', who: 'anyone', rate: 'reads', run: showErrorDocs },
  {
    method: 'GET',
    path: '/docs/errors.json',
    who: 'anyone',
    rate: 'reads',
    quiet: true,
    run: (_app, call) => listErrors(call),
  },
  { method: 'GET', path: '/openapi.json', who: 'anyone', rate: 'reads', run: showOpenApi },
  { method: 'GET', path: '/console', who: 'anyone', rate: 'files', quiet: true, run: showConsole },
  { method: 'GET', path: '/console/{id}', who: 'anyone', rate: 'files', quiet: true, run: serveConsoleFile },
]

export const clientFamily = familyOfClients(publicEndpoints, ({ config, settings }) => [
  ...passthroughEndpoints(config),
  ...(settings.identity?.scim ? scimEndpoints : []),
  ...(settings.identity?.claudeLogin ? claudeEndpoints : []),
])

/** Dependencies of the model endpoints. */
type CatalogApp = Pick<ClientApp, 'config' | 'settings' | 'loadedAt'>

/** An agent that signed in by /login sees the models of its plan; every other client sees all models. */
async function listModels(app: CatalogApp, call: HttpCall, _id: string, identify: Identify): Promise<void> {
  const { config, settings, loadedAt } = app
  const agent = await agentOf(app, call, identify)
  if (agent && 'denial' in agent) return call.deny(agent.denial)
  const plan = agent && planOf(config, agent.caller)
  const isShown = agent && ((model: Model) => plan?.models.has(model.name) === true)
  call.json(200, catalog(config, { brand: settings.brand, createdAt: loadedAt, isShown }))
}

/** The agent whose token came with a request, where agents sign in. */
function agentOf({ settings }: CatalogApp, call: HttpCall, identify: Identify) {
  const credential = settings.identity?.claudeLogin && clientCredential(call)
  if (!credential?.startsWith(`Bearer ${agentPrefix(settings.brand)}`)) return undefined
  return identify.bearer(credential, call)
}

function showModel(app: CatalogApp, call: HttpCall, path: string): void {
  const id = decoded(path)
  const model = catalogModel(app.config, id, { brand: app.settings.brand, createdAt: app.loadedAt })
  if (model) call.json(200, model)
  else {
    const problem = `No model \`${id}\`; GET /v1/models lists the models.`
    call.deny({ code: 'NOT_FOUND', problem, reason: 'model_not_found' })
  }
}

/** A name as it is, whether its slashes and brackets were written plain or as SDKs encode them. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // Not UTF-8, and so no name.
    return path
  }
}

async function showQuota(
  app: Pick<ClientApp, 'config' | 'store'>,
  call: HttpCall,
  { caller }: Identified,
): Promise<void> {
  const quota = await readQuota(app.config, app.store, caller)
  call.json(200, quotaRecord(quota, caller.keyPrefix))
}

/** Compiles the schemas of all bodies, which takes a tenth of a second that the first request would wait for otherwise. */
export function prepareSchemas(): void {
  const empty = Buffer.from('{}')
  readChat(empty)
  readEmbeddings(empty, 1)
  readImages(empty)
}
