/**
 * Characters that often are words of one character, in simplified form. The lists of segmentit have a rank for some 700
 * only, lack some of the commonest (这, 要, 人, 时) and rank others by a rare reading (都, 为). Put together by hand, and from what stands
 * alone often in the part of the newspaper of word-costs.ts that is not measured on.
 */

/** Very common words, most of them grammatical. */
export const VERY_COMMON_CHARACTERS =
  '和了为都这要与于将还也就着过地得人没到说会能可对被把多使时据很每各再至相便既且则另们此若即却虽该并或及元您吗吧某些当仍'

/** Common nouns, verbs, adjectives and measure words. */
export const COMMON_CHARACTERS =
  '家用党国钱天市县省村区州港镇乡街路桥山河江湖海岛城进想开外户图吨按住事亩均初见处谈建任回座道早半站话厂毛车白石号满花深往字' +
  '跨心获篇军卖指轮雪极读田叶完晚边队唱线迎愿类飞情华远树收画属夜胜门春夏秋冬风楼局需生版双降增祝啊歌颇忙东南西北现治挂股跑活' +
  '假亮提文落幅亿掉枚笔随断算菜船戏印接票迟转民留争偏喜记身望呈明顾利笑盛声跌立挖意群集款借者养团运演今云调钟流甚围选雨兵眼减' +
  '系知引史沿值结教颗踏升奔须冰饭煤严访星梦土距似店藏杯题组猪破药案牌穷装感响亦修游载投草购啦呀哪谁怎木水火金鱼鸟马牛羊狗猫虎' +
  '鸡脚腿脸嘴耳牙血骨皮肉米麦茶酒烟糖盐油布衣鞋帽床灯窗墙屋房院塔庙寺碑墓书信报刊章节页段句词语音乐曲诗剧球棋牌枪炮刀剑箭弹' +
  '键项列框栏卷包库表层格串域型链源码端例档轴点集块环树图栈堆组帧宽高长短厚薄粗细轻重快慢冷热干湿软硬弯直圆扁空满新旧好坏真假' +
  '美丑善恶贵贱贫富穷饱饿渴困累病痛痒痴疯傻笨懒勤忙闲哭笑喊叫骂打踢推拉拖搬抬扛背抱握抓拿放扔丢捡找寻看听闻尝摸碰撞敲砸切割' +
  '剪撕贴粘涂抹擦洗刷扫晒晾烧烤煮炒煎炸蒸炖切泡拌腌吃喝吞咽吐咬嚼睡醒躺坐站蹲跪走跑跳爬飞游骑乘驾停等待追赶逃躲藏送接迎陪' +
  '买卖租借还付赚赔省花教学练考写画读背抄改编译印发寄收传播录拍摄演唱跳玩赢输胜败比赛分合连断加减乘除增补添删换变成为叫称做当' +
  '像如同似较更最太极挺真好才刚正已曾将就便又再还也都只仅光单另约近共总全皆均各每几数第前后左右上下里外内中间旁边东西南北'
