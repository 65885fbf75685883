import type { Settings } from '../contract/settings.ts';
import type { Common } from '../http/common.ts';
import { createApprovals, type SignInsForPhones } from './approvals.ts';
import { phoneHandlers } from './owner.ts';
import { Phones } from './phones.ts';
import { phoneRoutes } from './routes.ts';

interface PhonesPartDeps extends Pick<Common, 'records' | 'clock' | 'base' | 'activity' | 'hub'> {
  readonly settings: () => Settings['phones'];
  readonly unsaved: ConstructorParameters<typeof Phones>[0]['unsaved'];
  readonly signIns: SignInsForPhones;
  readonly isLasting: () => boolean;
  readonly approvedWith: Parameters<typeof phoneHandlers>[0]['approvedWith'];
  readonly revoke: Parameters<typeof phoneHandlers>[0]['revoke'];
}

/** Opens the phones with which the owner approves sign-ins. */
export function openPhones(deps: PhonesPartDeps) {
  const { settings, hub, signIns, clock } = deps;
  const isOn = () => settings().on;
  const phones = new Phones(deps);
  const approvals = createApprovals(signIns, phones, { clock, allowed: () => settings().scopes });
  const owner = phoneHandlers({ ...deps, phones, isOn, changed: (list) => hub.emit('phones.changed', list) });
  return {
    handlers: owner.handlers,
    routes: [phoneRoutes({ isOn, phones, approvals, arrived: owner.arrived })],
  };
}
