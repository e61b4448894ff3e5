import type { Denied } from '../../policy/denial.ts'
import { admitReader, admitStranger, type Bounded } from './admit-read.ts'
import type { ListenerApp } from './app.ts'
import type { HttpCall } from './call.ts'
import { clientCredential } from './credentials.ts'
import type { OpenEndpoint } from './endpoint.ts'
import type { FamilyView, Matched } from './family.ts'

/** Runs an endpoint that anyone may call, as often as its rate allows. */
export async function serveAnyone<App extends ListenerApp>(
  view: FamilyView<App>,
  call: HttpCall,
  { endpoint, id }: Matched<OpenEndpoint<App>>,
): Promise<void> {
  const crowded = await crowdingOf(view, call, endpoint)
  return crowded ? call.deny(crowded.denial) : endpoint.run(view.app, call, id, view.identify)
}

/** Why a request that needs no key has to wait. Where its address has no reads left, a client with a key may have some. */
export async function crowdingOf(
  { app, identify }: FamilyView<ListenerApp>,
  call: HttpCall,
  bounded: Bounded,
): Promise<Denied | undefined> {
  const crowded = admitStranger(app, call, bounded)
  const credential = crowded && clientCredential(call)
  if (!crowded || credential === undefined) return crowded
  const found = await identify.bearer(credential, call)
  return 'denial' in found ? crowded : admitReader(app, call, bounded, found)
}
