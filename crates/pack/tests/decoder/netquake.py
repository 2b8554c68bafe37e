"""NetQuake's recordings: blocks and messages, as quake1.md describes them, with the names that pack.md gives their fields."""

from fields import Fields, Memory
from model import Damaged, context

SOUND, BROKEN, RAW = 0, 1, 2
EXTENSIONS = {b"FTEX": 0, b"FTE2": 1, b"MVD1": 2}
NEHAHRA = (250, 10000, 10001, 10002)
WIDE = (10000, 10001, 10002)
DARKPLACES = range(3500, 3505)

# Messages that are plain values: `name:width`, with a number of bits, c a coordinate, a an angle, e an entity, t a text, v a number of variable
# length, s counted data, r the rest of the packet; several letters are several values of the field
PLAIN = {
    1: ("nop", ""),
    2: ("disconnect", ""),
    3: ("updatestatlong", "stat:8 value:32"),
    5: ("setview", "entity:e"),
    8: ("print", "text:t"),
    9: ("stufftext", "text:t"),
    12: ("lightstyle", "style:8 pattern:t"),
    13: ("updatename", "slot:8 name:t"),
    14: ("updatefrags", "slot:8 frags:16"),
    16: ("stopsound", "channel:16"),
    17: ("updatecolors", "slot:8 colors:8"),
    18: ("particle", "origin:ccc direction:8,8,8 count:8 color:8"),
    19: ("damage", "armor:8 blood:8 origin:ccc"),
    24: ("setpause", "paused:8"),
    25: ("signonnum", "stage:8"),
    26: ("centerprint", "text:t"),
    27: ("killedmonster", ""),
    28: ("foundsecret", ""),
    30: ("intermission", ""),
    31: ("finale", "text:t"),
    32: ("cdtrack", "track:8 loop_track:8"),
    33: ("sellscreen", ""),
    34: ("cutscene", "text:t"),
    35: ("showlmp", "slot:t picture:t x:8 y:8"),
    36: ("hidelmp", "slot:t"),
    37: ("skybox", "name:t"),
    40: ("bf", ""),
    41: ("fog", "density:8 color:8,8,8 time:16"),
    44: ("spawnstaticsound2", "origin:ccc sound:16 volume:8 attenuation:8"),
    46: ("updateping", "slot:8 ping:v"),
    47: ("updatesocial", "slot:8 account:32,32"),
    48: ("updateplinfo", "slot:8 health:v armor:v"),
    50: ("downloaddata", "start:32 data:s"),
    51: ("updatestat", "stat:8 value:8"),
    52: ("effect", "origin:ccc model:8 first_frame:8 frames:8 rate:8"),
    53: ("effect2", "origin:ccc model:16 first_frame:16 frames:8 rate:8"),
    54: ("precache", "code:16 name:t"),
    57: ("entities", "data:r"),
    58: ("csqcentities", "data:r"),
    59: ("spawnstaticsound2", "origin:ccc sound:16 volume:8 attenuation:8"),
    60: ("trailparticles", "entity:e effect:16 start:ccc end:ccc"),
    61: ("pointparticles", "effect:16 origin:ccc velocity:ccc count:16"),
    62: ("pointparticles1", "effect:16 origin:ccc"),
    78: ("updatestatstring", "stat:8 value:t"),
    79: ("updatestatfloat", "stat:8 value:32"),
    83: ("cgamepacket", "data:r"),
    84: ("voicechat", "sender:8 generation:8 sequence:8 data:s"),
    85: ("setangledelta", "angles:16,16,16"),
    90: ("cgamepacket_sized", "data:s"),
}
RERELEASE = {
    51: ("seq", "sequence:v"),
    52: ("achievement", "name:t"),
    53: ("chat", "name_color:8 text_color:8 name:t text:t"),
    54: ("levelcompleted", "unknown:8,8,8,8,8,8,8,8,8,8 name:t"),
}

POINT = "origin_x:c origin_y:c origin_z:c"
LINE = "start_x:c start_y:c start_z:c end_x:c end_y:c end_z:c"
BEAM = "entity:e " + LINE
BOX = "min_x:c min_y:c min_z:c max_x:c max_y:c max_z:c"
JET = POINT + " velocity_x:c velocity_y:c velocity_z:c count:8"
SPRAY = POINT + " velocity_x:8 velocity_y:8 velocity_z:8 count:8"
WEATHER = BOX + " direction_x:c direction_y:c direction_z:c count:16 color:8"
EFFECTS = {kind: POINT for kind in (0, 1, 2, 3, 4, 7, 8, 10, 11, 14, 20, 57, 58, 59, 70, 72, 75, 78)}
EFFECTS |= {5: BEAM, 6: BEAM, 9: BEAM, 13: BEAM, 15: LINE, 17: "model:t " + BEAM, 18: POINT + " color:8", 21: "count:8 " + POINT}
EFFECTS |= {12: POINT + " color:8 colors:8", 16: POINT + " red:c green:c blue:c", 50: SPRAY, 51: SPRAY, 74: JET, 77: JET, 79: JET}
EFFECTS |= {52: BOX + " speed:c count:16", 53: POINT + " red:8 green:8 blue:8", 54: WEATHER + " gravity:8 jitter:c", 55: WEATHER, 56: WEATHER}
EFFECTS |= {73: POINT + " radius:8 life:8 red:8 green:8 blue:8", 76: LINE + " angle_x:c angle_y:c angle_z:c"}

UPDATE = "model:10:8 frame:6:8 colormap:11:8 skin:12:8 effects:13:8 origin_x:1:c pitch:8:a origin_y:2:c yaw:4:a origin_z:3:c roll:9:a"
UPDATE_FITZ = " alpha:16:8 scale:20:8 frame_high:17:8 model_high:18:8 lerp_finish:19:8"
UPDATE_15 = " alpha:17:8 scale:18:8 effects_high:19:8 glow_size:20:8 glow_color:21:8 colormod:22:8 frame_high:26:8 model_high:27:8"
CLIENT = (
    "view_height:0:8 ideal_pitch:1:8 punch_pitch:2:8 velocity_x:5:8 punch_yaw:3:8 velocity_y:6:8 punch_roll:4:8 velocity_z:7:8 items::32"
    " weapon_frame:12:8 armor:13:8 weapon:14:8 health::16 ammo::8 shells::8 nails::8 rockets::8 cells::8 active_weapon::8"
)
CLIENT_FITZ = (
    " weapon_high:16:8 armor_high:17:8 ammo_high:18:8 shells_high:19:8 nails_high:20:8 rockets_high:21:8 cells_high:22:8"
    " weapon_frame_high:24:8 weapon_alpha:25:8"
)
SETTINGS = "deathmatch:8 ideal_pitch_scale:32 friction:32 edge_friction:32 stop_speed:32 max_velocity:32 gravity:32 no_step:8 max_speed:32"
SETTINGS += " accelerate:32 controller_only:8 time_limit:32 frag_limit:32 teamplay:8"

CLASSIC = "model:2:8 frame:13:8 colormap:3:8 skin:4:8 effects:5:8 origin_x:9:c pitch:0:a origin_y:10:c yaw:12:a origin_z:11:c roll:1:a"
CLASSIC_EXTENSIONS = [
    (0x2, " scale:16:8"),
    (0x8, " alpha:17:8"),
    (0x100, " fatness:18:8"),
    (0x7000, ""),
    (0x200000, " draw_flags:24:8 abs_light:25:8"),
    (0x80000, " colormod_r:26:8 colormod_g:26:8 colormod_b:26:8"),
    (0x80000000, ""),
]
CLASSIC_LAST = (
    " flags:27:8 tag_entity:28:16 tag_index:28:16 light_r:29:16 light_g:29:16 light_b:29:16 light_radius:29:16 light_style:29:8 light_flags:29:8"
    " effects_high:30:8"
)


class Dialect:
    def __init__(self, protocol=15, words=(0, 0, 0), flags=0):
        self.protocol, self.words, self.flags = protocol, words, flags
        self.is_rerelease = False
        self.fitz = protocol in (666, 999)
        self.coordinate = next((width for bit, width in ((0x10, 32), (0x80, 32), (8, 24)) if flags & bit), 16)
        self.angle = next((width for bit, width in ((4, 32), (2, 16)) if flags & bit), 8)
        if words[0] & 0x8000:
            self.coordinate, self.angle = 32, max(16, self.angle)
        self.entity_coordinate = 32 if words[2] & 1 else self.coordinate
        self.deltas, self.predicts, self.sizes, self.lerps = (bool(words[1] & bit) for bit in (8, 0x20, 0x40, 0x400))


class Messages:
    """The messages of one packet."""

    def __init__(self, fields, dialect):
        self.f, self.d = fields, dialect

    def read(self):
        f = self.f
        while f.more():
            if self.d.protocol in DARKPLACES:
                self.value("messages", "r")
                break
            self.message(f.field("message", 8))

    def value(self, name, kind):
        f, d = self.f, self.d
        if kind == "t":
            return f.text(name)
        if kind == "e":
            return self.entity(name)
        if kind == "v":
            return self.variable(name, 63)
        if kind == "s":
            count = f.field("length", 16)
            f.enter(name)
            return f.octets(count)
        if kind == "r":
            f.enter(name)
            while f.more():
                f.bits(8)
            return None
        for one in kind.split(",") if kind[0].isdigit() else kind:
            f.field(name, {"c": d.coordinate, "a": d.angle}.get(one) or int(one))
        return None

    def values(self, layout):
        for item in layout.split():
            self.value(*item.split(":"))

    def masked(self, layout, mask, floats=()):
        for item in layout.split():
            name, bit, kind = item.split(":")
            if not bit or mask >> int(bit) & 1:
                self.value(name, "32" if name in floats else kind)

    def entity(self, name):
        number = self.f.field(name, 16)
        if self.d.deltas and number & 0x8000:
            number = (number & 0x7FFF) << 8 | self.f.bits(8)
        return number

    def variable(self, name, most):
        self.f.enter(name)
        value, at = 0, 0
        while True:
            byte = self.f.bits(8)
            value |= (byte & 127) << 7 * at
            at += 1
            if value >> most:
                raise Damaged("a number is too long")
            if byte < 128:
                return value
            if at == (9 if most > 32 else 5):
                raise Damaged("a number is too long")

    def message(self, number):
        f, d = self.f, self.d
        if number >= 128:
            return self.part("update", lambda: self.update(number))
        if 46 <= number <= 49 and d.fitz:
            d.is_rerelease = True
        if number == 51 and d.fitz and (d.is_rerelease or not (d.words[0] or d.words[1])):
            d.is_rerelease = True
            return self.part("seq", lambda: self.values(RERELEASE[51][1]))
        plain = RERELEASE.get(number) if d.is_rerelease and number != 51 else None
        if number == 54 and not d.is_rerelease:
            plain = PLAIN[54]
        own = {
            4: ("version", self.version),
            6: ("soundextended", self.sound),
            7: ("time", self.time),
            10: ("setangle", lambda: self.values(("reason:8 " if d.words[2] & 2 else "") + "angles:aaa")),
            11: ("serverinfo", self.serverinfo),
            15: ("clientdata", self.clientdata),
            20: ("spawnstatic", lambda: self.looks(16 if d.protocol in WIDE else 8, 8)),
            21: ("spawnstatic2", self.delta if d.deltas else self.classic),
            22: ("spawnbaseline", lambda: (self.entity("entity"), self.looks(16 if d.protocol in WIDE else 8, 8))),
            23: ("temp_entity", self.effect),
            29: ("spawnstaticsound", lambda: self.values(f"origin:ccc sound:{16 if d.protocol == 10001 else 8} volume:8 attenuation:8")),
            42: ("spawnbaseline2", lambda: (self.entity("entity"), self.fitz())),
            43: ("spawnstatic2", self.fitz),
            49: ("locprint", self.strings),
            55: ("spawnbaseline2", lambda: (self.entity("entity"), self.looks(16, 16))),
            56: ("spawnstatic2", lambda: self.looks(16, 16)),
            66: ("spawnbaseline2", (lambda: (self.entity("entity"), self.delta())) if d.deltas else self.classic),
            86: ("updateentities", self.entities),
            91: ("temp_entity_sized", self.sized),
            92: ("csqcentities_sized", self.csqc),
            93: ("setanglebase", lambda: self.masked("pitch:0:16 yaw:1:16 roll:2:16", f.field("bits", 8))),
        }
        if d.is_rerelease:
            own |= {50: ("servervars", self.settings), 57: ("prompt", self.prompt), 58: ("loccenterprint", self.strings)}
        elif d.protocol in NEHAHRA:
            own |= {50: ("skyboxsize", lambda: self.values("size:c")), 51: ("fog", self.nehahra_fog)}
        if plain is None and number in own:
            return self.part(*own[number])
        name, layout = plain or PLAIN.get(number, ("unknown", "data:r"))
        return self.part(name, lambda: self.values(layout))

    def part(self, name, inner):
        self.f.open(name)
        inner()
        self.f.close()

    # what changes the dialect

    def version(self):
        f, words = self.f, [0, 0, 0]
        while True:
            number = f.field("protocol", 32)
            key = number.to_bytes(4, "little")
            if not all(byte < 128 and chr(byte).isalnum() for byte in key):
                break
            value = f.field("extension", 32)
            if key in EXTENSIONS:
                words[EXTENSIONS[key]] = value
            if key == b"vlen":
                f.octets(f.field("length", 32))
        flags = f.field("flags", 32) if number == 999 else 0
        self.d = Dialect(number, tuple(words), flags)

    def serverinfo(self):
        self.version()
        if self.d.predicts:
            self.f.text("gamedir")
        self.values("max_clients:8 game_type:8 level:t")
        for name in ("model", "sound"):
            while self.f.text(name):
                pass

    # messages with layouts of their own

    def time(self):
        self.values("time:32 input:16" if self.d.predicts else "time:32")

    def update(self, mask):
        f, d = self.f, self.d
        if mask & 1:
            mask |= f.field("more_bits", 8) << 8
        nehahra = d.protocol in NEHAHRA
        if mask & 0x8000 and not nehahra:
            mask |= f.field("extend1", 8) << 16
            if mask >> 23 & 1:
                mask |= f.field("extend2", 8) << 24
        if mask & 0x4000:
            self.entity("entity")
        else:
            f.field("entity", 8)
        layout = UPDATE.replace("model:10:8", "model:10:16") if d.protocol in WIDE else UPDATE
        layout += UPDATE_FITZ if d.fitz else "" if nehahra else UPDATE_15
        self.masked(layout, mask, ("origin_x", "origin_y", "origin_z") if d.is_rerelease and mask >> 21 & 1 else ())
        if nehahra and mask & 0x8000:
            count = f.field("count", 32)
            f.field("alpha", 32)
            if count == 0x40000000:
                f.field("full_bright", 32)
        if d.is_rerelease:
            self.masked("solid:22:8 flags:24:v health:25:v" + "".join(f" unknown:{bit}:8" for bit in range(26, 32)), mask)

    def clientdata(self):
        f, d = self.f, self.d
        mask = f.field("bits", 16)
        if mask & 0x8000:
            mask |= f.field("extend", 8) << 16
            if mask >> 23 & 1:
                mask |= f.bits(8) << 24
        layout = CLIENT.replace("weapon:14:8", "weapon:14:16") if d.protocol in WIDE else CLIENT
        layout += CLIENT_FITZ if d.fitz else ""
        self.masked(layout, mask, ("velocity_x", "velocity_y", "velocity_z") if d.is_rerelease and mask >> 8 & 1 else ())
        if d.is_rerelease:
            self.masked("flags:26:v", mask)

    def looks(self, model, frame):
        self.values(f"model:{model} frame:{frame} colormap:8 skin:8 origin_x:c pitch:a origin_y:c yaw:a origin_z:c roll:a")

    def fitz(self):
        mask = self.f.field("bits", 8)
        self.looks(16 if mask & 1 else 8, 16 if mask & 2 else 8)
        self.masked("alpha:2:8 scale:3:8" + "".join(f" unknown:{bit}:8" for bit in range(4, 8)), mask)

    def sound(self):
        f, mask = self.f, self.f.field("bits", 8)
        if mask & 4:
            first = f.field("more", 8)
            more = 8 - (first ^ 255).bit_length()
            value = first & 0x7F >> more
            for _ in range(more):
                value = value << 8 | f.bits(8)
            mask |= value << 8
        self.masked("volume:0:8 attenuation:1:8 pitch:7:8 offset:6:16 velocity:8:16,16,16 speed:5:16", mask)
        self.values("entity:e channel:8" if mask & 8 else "channel:16")
        self.values("sound:16 origin:ccc" if mask & 16 or self.d.protocol in (10001, 10002) else "sound:8 origin:ccc")

    def effect(self):
        kind = self.f.field("kind", 8)
        if kind not in EFFECTS:
            raise Damaged("a temporary entity of no known kind")
        self.values(EFFECTS[kind])

    def nehahra_fog(self):
        if self.f.field("on", 8):
            self.values("density:32 color:8,8,8")

    def strings(self):
        for _ in range(self.f.field("count", 16)):
            self.f.text("text")

    def settings(self):
        mask = self.variable("bits", 63)
        for at, item in enumerate(SETTINGS.split()):
            if mask >> at & 1:
                self.values(item)

    def prompt(self):
        count = self.f.field("count", 8)
        if count:
            self.f.text("question")
        for _ in range(count):
            self.values("answer:t impulse:8")

    def sized(self):
        size = self.f.field("size", 16)
        self.f.enter("data")
        self.f.octets(size & 0x7FFF)

    def csqc(self):
        while True:
            number, remove = self.index() if self.d.deltas else self.short_index()
            if not number and not remove:
                break
            if not remove:
                self.values("data:s")

    def short_index(self):
        word = self.f.field("entity", 16)
        return word & 0x7FFF, bool(word & 0x8000)

    def index(self):
        word = self.f.field("entity", 16)
        number = word & 0x3FFF
        if word & 0x4000:
            number |= self.f.bits(8) << 14
        return number, bool(word & 0x8000)

    def classic(self):
        f, extensions = self.f, self.d.words[0]
        mask = f.field("entity", 16) & ~511
        if mask >> 15 & 1:
            mask |= f.field("more_bits", 8)
        removed = mask >> 14 & 1
        if mask >> 7 & 1 and (removed or extensions & sum(bits for bits, _ in CLASSIC_EXTENSIONS)):
            mask |= f.field("even_more", 8) << 16
            if mask >> 23 & 1 and not removed:
                mask |= f.field("yet_more", 8) << 24
        if removed:
            return
        layout = CLASSIC
        if extensions & 0x1000 and mask >> 19 & 1:
            layout = layout.replace("model:2:8", "model:2:8" if mask >> 2 & 1 else "model:19:16")
        layout = layout.replace(":c", f":{self.d.entity_coordinate}")
        for bits, fields in CLASSIC_EXTENSIONS:
            layout += fields if extensions & bits else ""
        self.masked(layout + CLASSIC_LAST, mask)

    # replacement deltas

    def entities(self):
        f = self.f
        if self.d.predicts:
            f.field("input sequence", 16)
        f.field("time", 32)
        while True:
            number, remove = self.index()
            if remove:
                continue
            if not number:
                break
            f.open("entity", number)
            self.delta()
            f.close()

    def delta(self):
        f, d = self.f, self.d
        f.enter("bits")
        mask = f.bits(8)
        for at in (1, 2, 3):
            if mask >> (8 * at - 1) & 1:
                mask |= f.bits(8) << 8 * at
            else:
                break

        def has(bit):
            return mask >> bit & 1

        place = d.entity_coordinate
        wide = 16 if has(9) else 8

        def sized(name, width=wide):
            return self.variable(name, 32) if d.lerps else f.field(name, width)

        if has(0):
            sized("frame")
        if has(1):
            f.field("origin x", place)
            f.field("origin y", place)
        if has(2):
            f.field("origin z", place)
        angle = 16 if has(6) and not d.predicts else d.angle
        if has(3):
            f.field("pitch", angle)
            f.field("roll", angle)
        if has(4):
            f.field("yaw", angle)
        if d.lerps:
            if has(9):
                self.variable("lerp end", 32)
            if has(5):
                self.variable("effects", 32)
        elif has(5) or has(29):
            f.field("effects", (0, 8, 16, 32)[has(5) + 2 * has(29)])
        if has(6):
            f.open("predinfo")
            self.prediction(has)
            f.close()
        if has(10):
            sized("model")
        if has(11):
            sized("skin")
        if has(12):
            sized("colormap", 8)
        if has(13):
            form = f.field("solid form", 8) if d.sizes else 16
            if form in (16, 32):
                f.field("solid", form)
            elif form > 3:
                raise Damaged("an unknown form of solid")
        if has(14):
            sized("flags", 8)
        if has(16):
            f.field("alpha", 8)
        if has(17):
            f.field("scale", 8)
        if has(18):
            f.open("bonedata")
            flags = f.field("bone flags", 8)
            if flags & 0x80:
                for _ in range(f.field("bone count", 8)):
                    f.enter("bone")
                    for _ in range(7):
                        f.bits(16)
            if flags & 0x40:
                sized("base bone", 8)
                sized("base frame", 16)
            f.close()
        if has(19) and f.field("drawflags", 8) & 7 >= 6:
            f.field("abslight", 8)
        if has(20):
            self.entity("tag entity")
            sized("tag index", 8)
        if has(21):
            for name in ("light red", "light green", "light blue", "light radius"):
                f.field(name, 16)
            sized("light style", 8)
            f.field("light flags", 8)
        if has(22):
            trail = sized("trail effect", 16)
            if d.lerps or trail & 0x8000:
                sized("emit effect", 16)
        rare = [
            (24, ["colormod red", "colormod green", "colormod blue"]),
            (25, ["glow size", "glow color", "glowmod red", "glowmod green", "glowmod blue"]),
            (26, ["fatness"]),
            (27, ["model 2"]),
            (28, ["gravity pitch", "gravity yaw"]),
        ]
        for bit, names in rare:
            for name in names if has(bit) else []:
                if bit == 27:
                    sized(name)
                else:
                    f.field(name, 8)

    def prediction(self, has):
        f = self.f
        mask = f.field("predinfo bits", 8)
        for bit, name, width in ((0, "forward", 16), (1, "side", 16), (2, "up", 16), (3, "movetype", 8)):
            if mask >> bit & 1:
                f.field(name, width)
        if mask & 0x10:
            f.field("velocity x", 16)
            f.field("velocity y", 16)
        if mask & 0x20:
            f.field("velocity z", 16)
        if mask & 0x40:
            f.field("msec", 8)
        if not mask & 0x80:
            return
        if self.d.predicts:
            if has(3):
                f.field("view pitch", 16)
                f.field("view roll", 16)
            if has(4):
                f.field("view yaw", 16)
        elif f.field("weapon frame", 8) & 0x80:
            f.bits(8)


class Recording:
    """Decodes a recording piece by piece. `memory` is what the group of an archive knows of fields."""

    def __init__(self, memory):
        self.memory, self.dialect, self.pieces = memory or Memory(), Dialect(), [0, 0, 0]
        self.memory.time = 0

    def piece(self, model, history):
        a, b, c = self.pieces
        kind = model.symbol(4, [context(40, a), context(41, a, b), context(42, a, b, c)], 2)
        self.pieces = [kind, a, b]
        if kind == RAW:
            return history.counted(model, 1, 1 << 14)
        f = Fields(model, history, self.memory, left_out="length")
        f.field("length", 32)
        for _ in range(3):
            f.field("view_angles", 32)
        if kind == SOUND:
            messages = Messages(Fields(model, history, self.memory), self.dialect)
            messages.read()
            data, self.dialect = messages.f.out, messages.d
        else:
            data = history.counted(model, 1, 1 << 20)
        return len(data).to_bytes(4, "little") + f.out[4:] + data
