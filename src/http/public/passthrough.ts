import type { Identified } from '../../gateway/accounts/identified.ts'
import type { AdmittedCall, Refusal } from '../../gateway/admission/admit.ts'
import { answerHeaders } from '../../gateway/answer/headers.ts'
import {
  type AnsweredPassthrough,
  type PassthroughCall,
  servePassthrough,
} from '../../gateway/passthrough/serve-passthrough.ts'
import type { ServingPorts } from '../../gateway/request.ts'
import type { Config, Passthrough, PassthroughMethod } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { choose } from '../../policy/model.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import { mostBytes } from '../../policy/price.ts'
import type { AnyDenial } from '../../wire/errors/codes.ts'
import { boundaryOf, formType } from '../../wire/multipart/boundary.ts'
import { FormReader } from '../../wire/multipart/form-reader.ts'
import { parseBody } from '../../wire/openai/body.ts'
import { checkPassthroughBody, formOf } from '../../wire/passthrough.ts'
import type { HttpCall } from '../listener/call.ts'
import { refuseCaller } from '../listener/refuse-caller.ts'
import { hasBody } from '../listener/request-form.ts'
import type { ClientApp } from './client-app.ts'
import type { ClientEndpoint } from './client-family.ts'
import { noteAdmitted, noteBill, noteFailures, notePlan, noteRefused, traceOf } from './infer.ts'
import { type ReceiveApp, type Received, receive } from './receive.ts'
import { relayPassthrough } from './relay-passthrough.ts'
import { runSession } from './session.ts'
import { RequestUpload } from './upload.ts'

/** Dependencies of passing requests through. */
type PassthroughApp = ServingPorts & ReceiveApp & Pick<ClientApp, 'config' | 'feed' | 'settings' | 'traces'>

/** The pass-through routes of the files, as rows of the table. */
export const passthroughEndpoints = ({ passthrough }: Pick<Config, 'passthrough'>): readonly ClientEndpoint[] =>
  [...passthrough.values()].flatMap(route =>
    route.methods.map((method): ClientEndpoint => {
      const { upgrade } = route
      const row = {
        method,
        path: route.name,
        who: 'caller',
        rate: 'plan',
        infers: true,
        sheds: true,
        paid: true,
      } as const
      // A session lasts: it begins with a key that was looked up.
      if (upgrade) return { ...row, run: runSession({ ...route, upgrade }) }
      return { ...row, admits: true, run: runPassthrough(route, method) }
    }),
  )

/** The parts of a call that its body says. */
type Body = Pick<PassthroughCall, 'model' | 'bodyFor' | 'look' | 'bytes' | 'cacheTime'> & {
  readonly upload?: RequestUpload
  readonly received?: Pick<Received<unknown>, 'decided' | 'release'>
}

const NO_BODY: Body = { bytes: 0 }

function runPassthrough(route: Passthrough, method: PassthroughMethod) {
  return async (app: PassthroughApp, call: HttpCall, found: Identified): Promise<void> => {
    const { caller, keyHash, confirm } = found
    const body = queryFault(call) ?? (await bodyOf(app, call, found, route, method))
    if ('denial' in body) return refuseCaller(call, found, body)
    notePlan(app, call, caller)
    // A route has one model: what names none asks for that, not for the default one.
    call.note.asked = body.model ?? route.model.name
    const { upload, received, ...said } = body
    const trying = (admitted: AdmittedCall) => {
      noteAdmitted(call, admitted)
      received?.decided()
      app.feed.began(caller.account)
    }
    const asked = {
      requestId: call.requestId,
      caller,
      confirm,
      client: call,
      trying,
      route,
      method,
      ...said,
      headers: call.request.headers,
    }
    const passed = await servePassthrough(app, { ...asked, ...knownOf(app, call, keyHash) }).finally(() => {
      received?.decided()
      received?.release()
    })
    noteFailures(call, passed)
    if ('denial' in passed) {
      noteRefused(app, call, passed)
      return call.deny(passed.denial, passed.rate)
    }
    if (passed.kind === 'passed') return answer(app, call, passed)
    if (passed.bill) noteBill(call, passed.bill)
    const unsent = whyUnsent(call, upload)
    if (unsent) call.deny(unsent)
  }
}

/** Why a client that waits gets no answer, although it was given up as if it had left. */
function whyUnsent({ crowded }: HttpCall, upload: RequestUpload | undefined): AnyDenial | undefined {
  return crowded ?? upload?.fault?.denial ?? (upload?.isLate ? { code: 'REQUEST_TIMEOUT' } : undefined)
}

function knownOf(
  app: Pick<ClientApp, 'traces'>,
  call: HttpCall,
  keyHash: string | undefined,
): Pick<PassthroughCall, 'keyHash' | 'trace'> {
  const trace = traceOf(app, call, { kind: 'passthrough', stream: false })
  return { ...(trace && { trace }), ...(keyHash !== undefined && { keyHash }) }
}

/** The fault of a query: it is the client's own, and would reach the backend unread. */
const queryFault = ({ request }: HttpCall): Refusal | undefined =>
  request.url?.includes('?') ? invalid('query', 'is not accepted here: remove the query') : undefined

/** The most bytes of a streamed body. */
const limitOf = ({ maxBody, meter }: Passthrough): number => Math.min(maxBody, mostBytes(meter))

async function bodyOf(
  app: ReceiveApp,
  call: HttpCall,
  found: Identified,
  route: Passthrough,
  method: PassthroughMethod,
): Promise<Body | Refusal> {
  const { request } = call
  if (method === 'GET') return hasBody(request) ? invalid('body', 'is not accepted with GET') : NO_BODY
  const { 'content-type': contentType = 'application/json' } = request.headers
  const form = formOf(contentType, route)
  if (typeof form === 'object') return form
  if (form === 'json') return jsonOf(app, call, found)
  const boundary = form === 'multipart' ? boundaryOf(contentType) : undefined
  if (typeof boundary === 'object') return boundary
  const { 'content-length': length = 0 } = request.headers
  const limitBytes = limitOf(route)
  if (Number(length) > limitBytes) return { denial: { code: 'PAYLOAD_TOO_LARGE', limitBytes } }
  const reader = boundary === undefined ? undefined : new FormReader(boundary, judgeFor(app, route))
  const upload = new RequestUpload(request, limitBytes, reader)
  call.received = () => upload.received
  const type = boundary === undefined ? contentType : formType(boundary)
  const bodyFor = (model: string) => ({ contentType: type, upload: upload.for(model) })
  return { bytes: Number(length), bodyFor, look: () => upload.look(), upload }
}

/** Judges a model that a form names: it comes after the admission, which would have said the same. */
const judgeFor =
  ({ config }: Pick<ClientApp, 'config'>, { name: path }: Passthrough) =>
  (model: string): Denied | undefined => {
    const chosen = choose(config, { kind: 'passthrough', path, textBytes: 0, model })
    return 'denial' in chosen ? chosen : undefined
  }

async function jsonOf(app: ReceiveApp, call: HttpCall, found: Identified): Promise<Body | Refusal> {
  const received = await receive(app, call, found, { elides: 'none', parse: parseBody, check: checkPassthroughBody })
  if ('denial' in received) return received
  const { value } = received
  return { ...value, received, bodyFor: model => ({ contentType: 'application/json', bytes: value.bodyFor(model) }) }
}

function answer({ settings }: Pick<ClientApp, 'settings'>, call: HttpCall, passed: AnsweredPassthrough): Promise<void> {
  const { admitted, pool, bill, answer: live } = passed
  if (bill) noteBill(call, bill)
  const headers = { ...live.headers, ...answerHeaders(settings.brand, admitted, pool, bill?.cost ?? ZERO_USD) }
  return relayPassthrough(call, live, { headers, isPaid: bill !== undefined }, async ending => {
    noteBill(call, await passed.ending.end(ending.how, ending))
    if (ending.how !== 'well') call.note.interrupted = ending.cause
  })
}
