import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import { Address, Foreign } from '../../ui/foreign.tsx';
import { Form } from '../../ui/form.tsx';
import shared from '../../ui/shared.module.css';
import { ErrorNote, WarningNote } from '../../ui/states.tsx';
import { ChoiceFields } from './choice-fields.tsx';
import { nameTyped } from './token-page.ts';
import { isTokenError, type Cloudflare } from './use-cloudflare.ts';
import { useNameCheck } from './use-name-check.ts';
import type { Connected, SetupDraftState } from './use-setup-draft.ts';
import { addressWords as words } from './words.ts';

interface Props extends SetupDraftState {
  readonly connected: Connected;
  readonly cloudflare: Cloudflare;
}

/** Chooses the address and what to create for it, with a token that works. */
export function AddressStep({ connected, draft, change, cloudflare }: Props): ReactElement {
  const { zones, accounts } = connected;
  const zone =
    zones.find(({ id, active }) => id === draft.zoneId && active) ?? zones.find(({ active }) => active);
  const [judged, setJudged] = useState(false);
  const hostname = zone && nameTyped(draft.name, zone.name);
  const check = useNameCheck(zone && hostname !== undefined ? { zoneId: zone.id, hostname } : null);
  const first = useRef<HTMLSelectElement>(null);
  const restart = () => change({ connected: null });
  // After a failure, the reason takes the focus.
  const hasFailed = useRef(cloudflare.failure !== null);
  useEffect(() => {
    if (!hasFailed.current) first.current?.focus();
  }, []);
  const isTokenGone = isTokenError(check.error);

  if (zone === undefined)
    return (
      <Stack align="flex-start">
        <WarningNote>
          <b>{words.noDomain}</b> {words.noDomainHelp} {zones.length > 0 && words.inactiveHelp}
        </WarningNote>
        <Button variant="default" onClick={restart}>
          {words.otherToken}
        </Button>
      </Stack>
    );

  const taken = check.answer?.available === false ? check.answer.words : undefined;
  const nameProblem = hostname === undefined ? words.badName : taken;
  const submit = () => {
    setJudged(true);
    if (hostname === undefined || taken !== undefined) return;
    const { mailbox, keepToken } = draft;
    cloudflare.setUp({ accountId: zone.accountId, zoneId: zone.id, hostname, mailbox, keepToken });
  };
  const account = accounts.length > 1 ? accounts.find(({ id }) => id === zone.accountId) : undefined;
  return (
    <Form onSubmit={submit}>
      <Text fw={600}>{words.title}</Text>
      <Group gap="sm">
        <Text role="status" size="sm">
          {words.works}
        </Text>
        <Button variant="default" size="xs" onClick={restart}>
          {words.otherToken}
        </Button>
      </Group>
      <NativeSelect
        ref={first}
        label={words.domain}
        description={account && <Foreign text={words.account(account.name)} />}
        data={zones.map(({ id, name: domain, active }) => ({
          value: id,
          label: active ? domain : words.inactive(domain),
          disabled: !active,
        }))}
        value={zone.id}
        onChange={(event) => change({ zoneId: event.currentTarget.value })}
      />
      {zones.some(({ active }) => !active) && (
        <Text size="xs" c="dimmed" mt={-8}>
          {words.inactiveHelp}
        </Text>
      )}
      <TextInput
        label={words.name}
        description={words.aboutName}
        autoCapitalize="off"
        maxLength={253}
        value={draft.name}
        error={judged || taken !== undefined || draft.name !== '' ? nameProblem : undefined}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <div>
        {hostname !== undefined && (
          <Text fw={600} className={shared.wrap}>
            {words.preview}
            <Address url={`https://${hostname}`} />
          </Text>
        )}
        <Text role="status" size="sm" c="dimmed" mih="1.5em" className={shared.wrap}>
          {hostname !== undefined && check.error === null && sentenceOf(hostname, check.answer)}
        </Text>
        <ErrorNote error={check.error} doing={words.notChecked} />
        {isTokenGone && (
          <Button variant="default" size="xs" mt="xs" onClick={restart}>
            {words.otherToken}
          </Button>
        )}
      </div>
      <ChoiceFields draft={draft} change={change} />
      <Failure cloudflare={cloudflare} />
      <div>
        <Button type="submit" color="amber.5" disabled={taken !== undefined}>
          <span className={shared.wrap}>{words.setUp(hostname ?? zone.name)}</span>
        </Button>
      </div>
    </Form>
  );
}

/** A name that isn't available is an error of the field, which names it. */
function sentenceOf(hostname: string, answer: { readonly available: boolean } | null): string {
  if (answer === null) return words.checking;
  return answer.available ? words.available(hostname) : '';
}

/** Why the setup that was started with these choices failed. It takes the focus, because the button had gone. */
function Failure({ cloudflare: { failure } }: { cloudflare: Cloudflare }): ReactElement {
  const note = useRef<HTMLDivElement>(null);
  const error = failure?.task === 'setUp' ? failure.error : null;
  useEffect(() => {
    if (error !== null) note.current?.focus();
  }, [error]);
  return (
    <div ref={note} tabIndex={-1} className={shared.outcome}>
      <ErrorNote error={error} doing={words.failed} />
    </div>
  );
}
