/** The setting for starting Porchlight at login. */
export interface LoginItem {
  /** Returns whether the login item is enabled in the system, whoever enabled it. */
  isOn(): Promise<boolean>;
  /**
   * Enables or disables the login item.
   * @throws if the system refuses.
   */
  set(on: boolean): Promise<void>;
  /** Updates an enabled item with the app's current location. Never enables an item. */
  renew(): Promise<void>;
}
