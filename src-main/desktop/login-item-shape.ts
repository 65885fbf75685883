/** Whether the system starts Porchlight at login. */
export interface LoginItem {
  /** As the system has it, whoever set it. */
  isOn(): Promise<boolean>;
  /** @throws where the system does not take it. */
  set(on: boolean): Promise<void>;
  /** Points an item that is on to where the app is now. Never turns one on. */
  renew(): Promise<void>;
}
