//! Every message, declared once: what it holds, its name in the format document, its numbers, its coder, its text form.

/// Hands the list to a macro that makes something of it. The first function of a line is the coder (the body, a wire, the context, the high bits
/// of the number), the second the form (the body, a form, what is known).
macro_rules! messages {
    ($make:ident $with:tt) => {
        $make! {
            $with
            MuzzleFlash(MuzzleFlash) = "muzzleflash" [(Classic, 1)] |m, w, _cx, _high| m.code(w, 8), |m, f, _known| m.player_members(f);
            MuzzleFlash2(MuzzleFlash) = "muzzleflash2" [(Classic, 2)] |m, w, _cx, _high| m.code(w, 8), |m, f, _known| m.members(f, 255);
            TempEntity(Box<TempEntity>) = "temp_entity" [(Classic, 3)] |m, w, cx, _high| m.code(w, cx), |m, f, known| m.members(f, known);
            Layout(Text) = "layout" [(Classic, 4)] |m, w, _cx, _high| m.code(w, "text"), |m, f, _known| text(f, "text", m);
            Inventory(Box<Inventory>) = "inventory" [(Classic, 5)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            Nop = "nop" [(Classic, 6)];
            Disconnect = "disconnect" [(Classic, 7)];
            Reconnect = "reconnect" [(Classic, 8)];
            Sound(Sound) = "sound" [(Classic, 9)] |m, w, cx, _high| m.code(w, cx), |m, f, known| m.members(f, known.dialect());
            Print(Print) = "print" [(Classic, 10)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            StuffText(Text) = "stufftext" [(Classic, 11), (TestRelease, 6)] |m, w, _cx, _high| m.code(w, "text"), |m, f, _known| text(f, "text", m);
            ServerData(Box<ServerData>) = "serverdata" [(Classic, 12), (TestRelease, 7)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            ConfigString(ConfigString) = "configstring" [(Classic, 13), (TestRelease, 8)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            SpawnBaseline(Box<EntityDelta>) = "spawnbaseline" [(Classic, 14)] |m, w, cx, _high| m.code_baseline(w, cx), |m, f, known| m.baseline_members(f, known);
            CenterPrint(Text) = "centerprint" [(Classic, 15)] |m, w, _cx, _high| m.code(w, "text"), |m, f, _known| text(f, "text", m);
            Download(Download) = "download" [(Classic, 16)] |m, w, cx, _high| m.code(w, cx, false), |m, f, known| m.members(f, known.dialect(), false);
            PlayerInfo(Box<PlayerDelta>) = "playerinfo" [(Classic, 17)] |m, w, cx, _high| m.code(w, cx, 0), |m, f, known| m.members(f, known, player::Place::Message);
            PacketEntities(PacketEntities) = "packetentities" [(Classic, 18)] |m, w, cx, _high| m.code(w, cx, false), |m, f, known| m.members(f, known, Place::Frame);
            Frame(Box<Frame>) = "frame" [(Classic, 20)] |m, w, cx, high| m.code(w, cx, high), |m, f, known| m.members(f, known);
            ZPacket(Box<Packed>) = "zpacket" [(R1q2, 21), (Q2pro, 21)] |m, w, cx, _high| m.code(w, cx, MessageKind::ZPacket), |m, f, known| m.members(f, known, MessageKind::ZPacket);
            ZDownload(Download) = "zdownload" [(R1q2, 22), (Q2pro, 22)] |m, w, cx, _high| m.code(w, cx, true), |m, f, known| m.members(f, known.dialect(), true);
            Setting(Setting) = "setting" [(R1q2, 24), (Q2pro, 24)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            GameState(GameState) = "gamestate" [(Q2pro, 23)] |m, w, cx, _high| m.code(w, cx), |m, f, known| m.members(f, known);
            ConfigStringStream(ConfigStrings) = "configstringstream" [(Q2pro, 25)] |m, w, cx, _high| m.code(w, cx), |m, f, known| m.members(f, known.dialect());
            BaselineStream(GameState) = "baselinestream" [(Q2pro, 26)] |m, w, cx, _high| m.code_baselines(w, cx), |m, f, known| m.baseline_members(f, known);
            KmFog(Fog) = "fog" [(Kmquake2, 21)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            SplitClient(u8) = "splitclient" [(Kex, 21)] |m, w, _cx, _high| rerelease::code_number(w, m), |m, f, _known| f.field("number", m);
            ConfigBlast(Box<Packed>) = "configblast" [(Kex, 22)] |m, w, cx, _high| m.code(w, cx, MessageKind::ConfigBlast), |m, f, known| m.members(f, known, MessageKind::ConfigBlast);
            BaselineBlast(Box<Packed>) = "spawnbaselineblast" [(Kex, 23)] |m, w, cx, _high| m.code(w, cx, MessageKind::BaselineBlast), |m, f, known| m.members(f, known, MessageKind::BaselineBlast);
            LevelRestart(ConfigStrings) = "level_restart" [(Kex, 24)] |m, w, cx, _high| m.code(w, cx), |m, f, known| m.members(f, known.dialect());
            Damage(Vec<DamageDealt>) = "damage" [(Kex, 25)] |m, w, _cx, _high| rerelease::code_damage(w, m), |m, f, _known| damage(f, m);
            LocPrint(LocalisedPrint) = "locprint" [(Kex, 26)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            Fog(Box<FogChange>) = "fog" [(Kex, 27)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            WaitingForPlayers(u8) = "waitingforplayers" [(Kex, 28)] |m, w, _cx, _high| rerelease::code_number(w, m), |m, f, _known| f.field("number", m);
            BotChat(BotChat) = "bot_chat" [(Kex, 29)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            Poi(Poi) = "poi" [(Kex, 30)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            HelpPath(HelpPath) = "help_path" [(Kex, 31)] |m, w, _cx, _high| m.code(w), |m, f, _known| m.members(f);
            MuzzleFlash3(MuzzleFlash) = "muzzleflash3" [(Kex, 32)] |m, w, _cx, _high| m.code(w, 16), |m, f, _known| m.members(f, 0xffff);
            Achievement(Text) = "achievement" [(Kex, 33)] |m, w, _cx, _high| m.code(w, "text"), |m, f, _known| text(f, "text", m);
        }
    };
}
pub(crate) use messages;
