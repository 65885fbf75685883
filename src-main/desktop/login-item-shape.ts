/** The setting for starting Porchlight at login. */
export interface LoginItem {
  /** Returns whether the system has it enabled, whoever enabled it. */
  isOn(): Promise<boolean>;
  /** @throws if the system refuses. */
  set(on: boolean): Promise<void>;
  /** Updates an enabled item with the app's current location. Never enables an item. */
  renew(): Promise<void>;
}
