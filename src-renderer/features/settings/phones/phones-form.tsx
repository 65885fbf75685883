import { Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import type { Phone } from '../../../../src-main/contract/phones.ts';
import { settingAreas, type Settings } from '../../../../src-main/contract/settings.ts';
import { useAction, useAnswer } from '../../../client/queries.ts';
import { Foreign } from '../../../ui/foreign.tsx';
import { Form } from '../../../ui/form.tsx';
import { Ago } from '../../../ui/moment.tsx';
import { Phrase } from '../../../ui/phrase.tsx';
import { Question } from '../../../ui/question.tsx';
import { ScopeChoice } from '../../../ui/scope-choice.tsx';
import shared from '../../../ui/shared.module.css';
import { ErrorNote, Loaded, WarningNote } from '../../../ui/states.tsx';
import { ntfySetting, pairedPhones } from '../search.ts';
import { SettingGroup, settingId } from '../setting-field.tsx';
import { AreaForm, useSettingsForm } from '../settings-form.tsx';
import { PairingDialog } from './pairing-dialog.tsx';
import { ntfyWords, phonesWords as words } from './words.ts';

/** Lets phones approve sign-ins, and lists those that are paired. */
export function PhonesForm({ settings }: { settings: Settings }): ReactElement {
  const { phones, tunnel } = settings;
  const form = useSettingsForm('phones', phones);
  const permissions = useAnswer('apps.permissions', {});
  const { label, help } = settingAreas.phones.scopes;
  const known = new Set(permissions.data?.map(({ scope }) => scope));
  const paired = (
    <SettingGroup page="phones" name="paired" words={pairedPhones}>
      {phones.on ? <PairedPhones isLasting={tunnel.mode !== 'quick'} /> : <Text size="sm">{words.off}</Text>}
    </SettingGroup>
  );
  return (
    <>
      {phones.on && paired}
      <AreaForm
        page="phones"
        form={form}
        fields={{
          scopes: (
            <div role="group" aria-label={label} id={settingId('phones', 'scopes')}>
              <Text fw={500} size="sm">
                {label}
              </Text>
              <Text size="xs" c="dimmed">
                {help}
              </Text>
              <Loaded query={permissions} what={label}>
                {(all) => (
                  <ScopeChoice
                    permissions={all}
                    chosen={form.shown.scopes.filter((scope) => known.has(scope))}
                    onChange={(chosen) =>
                      form.change({
                        scopes: [...chosen, ...form.shown.scopes.filter((scope) => !known.has(scope))],
                      })
                    }
                  />
                )}
              </Loaded>
            </div>
          ),
        }}
      />
      {!phones.on && paired}
      <SettingGroup page="phones" name="ntfy" words={ntfySetting}>
        {phones.push === 'ntfy' ? <Ntfy /> : <Text size="sm">{ntfyWords.off}</Text>}
      </SettingGroup>
    </>
  );
}

function PairedPhones({ isLasting }: { isLasting: boolean }): ReactElement {
  const phones = useAnswer('phones.list', {});
  const [isPairing, setPairing] = useState(false);
  const [removed, setRemoved] = useState<Phone | null>(null);
  return (
    <Stack gap="sm" align="flex-start">
      <Loaded query={phones} what={words.list}>
        {(all) => {
          const paired = all.filter(({ code }) => code === undefined);
          if (paired.length === 0) return <Text size="sm">{words.none}</Text>;
          return (
            <ul className={shared.list} style={{ width: '100%' }}>
              {paired.map((phone) => (
                <PhoneRow key={phone.id} phone={phone} onRemove={() => setRemoved(phone)} />
              ))}
            </ul>
          );
        }}
      </Loaded>
      {isLasting ? (
        <Button variant="default" onClick={() => setPairing(true)}>
          {words.pair}
        </Button>
      ) : (
        <WarningNote>{words.noAddress}</WarningNote>
      )}
      {isPairing && <PairingDialog phones={phones.data ?? []} onClose={() => setPairing(false)} />}
      {removed && <RemovePhone phone={removed} onClose={() => setRemoved(null)} />}
    </Stack>
  );
}

function PhoneRow({ phone, onRemove }: { phone: Phone; onRemove: () => void }): ReactElement {
  const { name, pairedAt, lastUsedAt, synced, usable } = phone;
  return (
    <li className={shared.row}>
      <div className={shared.rowBody}>
        <Text fw={600}>
          <Foreign text={name} />
        </Text>
        <Text size="sm" c="dimmed">
          {pairedAt !== null && <Phrase text={words.paired} parts={{ ago: <Ago at={pairedAt} /> }} />} ·{' '}
          {lastUsedAt === null ? (
            words.notUsed
          ) : (
            <Phrase text={words.used} parts={{ ago: <Ago at={lastUsedAt} /> }} />
          )}
        </Text>
        {synced && (
          <Text size="sm" c="dimmed">
            {words.synced}
          </Text>
        )}
        {!usable && (
          <Text size="sm" fw={600}>
            {words.unusable}
          </Text>
        )}
      </div>
      <Button variant="default" size="xs" aria-label={words.removeOf(name)} onClick={onRemove}>
        {words.remove}
      </Button>
    </li>
  );
}

/** Asks before a phone is removed, and offers to sign out what it approved. */
function RemovePhone({ phone, onClose }: { phone: Phone; onClose: () => void }): ReactElement {
  const remove = useAction('phones.remove');
  const [revoke, setRevoke] = useState(false);
  const names = phone.approved.map(({ name }) => name).join(', ');
  return (
    <Question
      title={<Foreign text={words.question(phone.name)} />}
      action={words.remove}
      color="red.8"
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ id: phone.id, revoke }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <Text>{words.removeMeans}</Text>
      {names !== '' && (
        <>
          <Text>
            <Foreign text={words.approved(names)} />
          </Text>
          <Checkbox
            label={words.revoke}
            checked={revoke}
            onChange={(event) => setRevoke(event.currentTarget.checked)}
          />
        </>
      )}
      <ErrorNote error={remove.error} />
    </Question>
  );
}

/** Where notifications through ntfy go. What is stored isn't shown. */
function Ntfy(): ReactElement {
  const stored = useAnswer('secrets.hasNtfy', {}).data?.stored === true;
  const save = useAction('secrets.setNtfy');
  const [server, setServer] = useState('https://ntfy.sh');
  const [topic, setTopic] = useState('');
  return (
    <Form onSubmit={() => save.mutate({ server, topic }, { onSuccess: () => setTopic('') })}>
      <TextInput
        label={ntfyWords.server}
        value={server}
        onChange={(event) => setServer(event.currentTarget.value.trim())}
      />
      <PasswordInput
        label={ntfyWords.topic}
        description={ntfyWords.topicHelp}
        value={topic}
        maxLength={64}
        onChange={(event) => setTopic(event.currentTarget.value.trim())}
      />
      <ErrorNote error={save.error} />
      <Group>
        <Button type="submit" variant="default" loading={save.isPending} disabled={topic === ''}>
          {ntfyWords.save}
        </Button>
        {stored && (
          <>
            <Text size="sm">{ntfyWords.stored}</Text>
            <Button variant="default" onClick={() => save.mutate({ server: '', topic: '' })}>
              {ntfyWords.remove}
            </Button>
          </>
        )}
      </Group>
    </Form>
  );
}
