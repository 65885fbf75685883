import type { Settings } from '../contract/settings.ts';
import type { Common } from '../http/common.ts';
import { createApprovals, type SignInsForPhones } from './approvals.ts';
import { phoneHandlers } from './owner.ts';
import { Phones } from './phones.ts';
import { PhonePush } from './push/push.ts';
import { phoneCookie, phoneRoutes } from './routes.ts';

type PhoneHandlerDeps = Parameters<typeof phoneHandlers>[0];

interface PhonesPartDeps
  extends
    Omit<Common, 'dataDir' | 'version' | 'versions' | 'documents' | 'kept' | 'onRecovered'>,
    Pick<PhoneHandlerDeps, 'isLasting' | 'approvedWith' | 'takeBackOf' | 'revoke'> {
  readonly settings: () => Settings['phones'];
  readonly unsaved: ConstructorParameters<typeof Phones>[0]['unsaved'];
  readonly signIns: SignInsForPhones;
}

/** Opens the phones with which the owner approves sign-ins. */
export function openPhones(deps: PhonesPartDeps) {
  const { settings, hub, signIns, background } = deps;
  const isOn = () => settings().on;
  const phones = new Phones(deps);
  const push = new PhonePush({
    ...deps,
    phoneOf: (request) => phones.withCookie(phoneCookie(request))?.id,
    isPaired: (id) => phones.list().some(({ row, usable }) => row.id === id && usable),
    isWaiting: (id) => signIns.waiting().some((signIn) => signIn.id === id),
  });
  const approvals = createApprovals(signIns, phones, { isOn, allowed: () => settings().scopes });
  const owner = phoneHandlers({
    ...deps,
    phones,
    isOn,
    changed: (list) => hub.emit('phones.changed', list),
    removed: (id) => background(push.forget(id)),
  });
  hub.subscribe(({ name, data }) => {
    if (name === 'signIn.requested')
      background(push.notify({ id: data.id, askers: signIns.askersOf(data.id) }));
    if (name !== 'signIn.settled') return;
    if (data.outcome === 'denied') push.denied();
    background(push.ended(data.id));
  });
  const pushKey = async () => (settings().push === 'web' ? push.publicKey() : null);
  return {
    handlers: owner.handlers,
    routes: [
      phoneRoutes({ isOn, phones, approvals, arrived: owner.arrived, pushKey, pushRoutes: push.routes }),
    ],
  };
}
